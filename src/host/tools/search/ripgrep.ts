import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Where `rg` lies, when it does. Only folders with a whole path are looked into: the project must not slip in a program of its own. */
export async function findRipgrep(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    const file = join(folder, process.platform === "win32" ? "rg.exe" : "rg");
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
