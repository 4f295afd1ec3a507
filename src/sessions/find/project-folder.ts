import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { folderName } from "./folder-name.ts";

/** A working directory as sessions may name it: in the name of their project folder, and in their records. */
export interface WantedFolder {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

export async function folderOf(cwd: string): Promise<WantedFolder> {
  const given = resolve(cwd);
  // A folder that is gone has no other name than the one it had.
  const real = await realpath(given).catch(() => given);
  return { names: new Set([folderName(given), folderName(real)]), paths: new Set([given, real]) };
}
