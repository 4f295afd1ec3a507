import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openState, packageFile } from "../../files/internal.ts";
import { startDetached } from "../run/detached-process.ts";
import { builderTag, cachedBuild } from "./build-cache.ts";

/** Ten times as long as a builder lives. */
const forgetMs = 600_000;

/**
 * Builds a file in a separate process, for later starts. The caller does not wait for it.
 * Contract: never throws. One content is tried once, though many ask at the same time or the builder cannot write; a builder that was
 * ended is forgotten after ten minutes.
 */
export async function buildLater(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  start: typeof startDetached = startDetached,
): Promise<void> {
  try {
    const cwd = await openState(["builds"], { env });
    if (cachedBuild(file, env) !== undefined) return; // while the handlers ran
    const note = join(cwd, `${digest(file)}.tried`);
    forget(note);
    closeSync(openSync(note, "wx", 0o600));
    const program = packageFile("dist/sdk/tasks/background-program.js");
    start([program, "build", file, note], { cwd, env, onError: () => undefined });
  } catch {
    // It was tried before, or nothing can be kept without a folder of our own; the file is imported as it is, as now.
  }
}

/** A note this old belongs to a builder that was killed. It is moved first, so that one of many processes removes it. */
function forget(note: string): void {
  const made = statSync(note, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined || Date.now() - made < forgetMs) return;
  const aside = `${note}.${process.pid}`;
  renameSync(note, aside);
  rmSync(aside, { force: true });
}

function digest(file: string): string {
  return createHash("sha256").update(`${builderTag}\n${file}\n`).update(readFileSync(file)).digest("hex");
}
