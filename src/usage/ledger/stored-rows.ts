import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openFolder, replaceFile } from "../../files/internal.ts";
import type { StoredFile } from "./call-store.ts";
import { rulesVersion } from "./index-manifest.ts";

/**
 * What was read of a transcript that is still being written, in a plain file of its own: so that a status line or a hook
 * reads only what is new, and never loads a database.
 */
export function readLive(folder: string, path: string): StoredFile | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(liveName(folder, path));
  } catch {
    // Nothing was kept: the file is read from its beginning.
    return undefined;
  }
  const body = bytes.subarray(0, -32);
  if (!bytes.subarray(-32).equals(createHash("sha256").update(body).digest())) return undefined;
  const length = body.readUInt32LE(0);
  const known = JSON.parse(body.toString("utf8", 4, 4 + length)) as Omit<StoredFile, "calls">;
  return known.path === path ? { ...known, calls: body.subarray(4 + length) } : undefined;
}

export async function writeLive(folder: string, { calls, ...known }: StoredFile): Promise<void> {
  await openFolder(folder);
  const text = Buffer.from(JSON.stringify(known));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const body = Buffer.concat([length, text, calls]);
  const bytes = Buffer.concat([body, createHash("sha256").update(body).digest()]);
  await replaceFile(liveName(folder, known.path), bytes);
}

/** Forgets what was kept of transcripts that nobody has asked about for a while. */
export function pruneLive(folder: string, now: number): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // Nobody has a status line.
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > keptMs) rmSync(path, { force: true });
  }
}

const keptMs = 2 * 86_400_000;

/** The version is part of the name: what was read by other rules is not found. */
function liveName(folder: string, path: string): string {
  return join(folder, createHash("sha256").update(`${rulesVersion} ${path}`).digest("hex").slice(0, 24));
}
