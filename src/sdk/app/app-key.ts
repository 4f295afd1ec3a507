import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/**
 * What an app is called wherever a path would be too long or too telling: in an URL, in a folder's name.
 * Contract: it stands for the real path of the hooks file, so two names of one file have one key; a file that is gone keeps its key.
 */
export function appKey(file: string): string {
  // Not imported: a hook process loads this module and needs no hash.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256")
    .update(realPathOf(resolve(file)))
    .digest("hex")
    .slice(0, 32);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (dirname(path) === path) throw error;
    return join(realPathOf(dirname(path)), basename(path)); // not there any more: what is left of the way to it counts
  }
}
