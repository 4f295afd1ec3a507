import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../../files/internal.ts";

/**
 * A folder of the user's own, with those above it. Contract: throws when it cannot be made. Node's own way to make several at once goes
 * round for ever where a file system denies what is there, as /proc does, and a hook process would never end.
 */
export function makeFolder(path: string): void {
  for (const again of [false, true]) {
    try {
      mkdirSync(path, { mode: 0o700 });
      return;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return;
      if (again || errorCode(error) !== "ENOENT") throw error;
      makeFolder(dirname(path));
    }
  }
}
