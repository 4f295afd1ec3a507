import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openState, packageFile } from "../../files/internal.ts";
import type { Env } from "../app/run-environment.ts";
import { startDetached } from "../run/detached-process.ts";
import { builderTag, cachedBuild } from "./build-cache.ts";

/** How long a note counts after its builder was killed. A builder exits after one minute at the latest. */
const noteMaxAgeMs = 600_000;

/**
 * Builds a file in a separate process, for later starts. The caller does not wait for it.
 * Contract: never throws. Each content is tried once, even if many processes ask at the same time or the builder cannot write. A note
 * file records the attempt; after a builder was killed, its note expires.
 */
export async function buildLater(file: string, env: Env, start: typeof startDetached = startDetached): Promise<void> {
  try {
    const cwd = await openState(["builds"], { env });
    if (cachedBuild(file, env) !== undefined) return; // built by another process meanwhile
    const note = join(cwd, `${digest(file)}.tried`);
    removeExpired(note);
    closeSync(openSync(note, "wx", 0o600));
    const program = packageFile("dist/sdk/tasks/background-program.cjs");
    start([program, "build", file, note], { cwd, env, onError: () => undefined });
  } catch {
    // It was tried before, or there is no state folder. The file is imported without a build, as now.
  }
}

/** Renames before it removes, so that only one of several processes removes the note. */
function removeExpired(note: string): void {
  const writtenAt = statSync(note, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined || Date.now() - writtenAt < noteMaxAgeMs) return;
  const renamed = `${note}.${process.pid}`;
  renameSync(note, renamed);
  rmSync(renamed, { force: true });
}

function digest(file: string): string {
  return createHash("sha256").update(`${builderTag}\n${file}\n`).update(readFileSync(file)).digest("hex");
}
