import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** Where a project's hooks lie when nobody says so, the first that is there. */
const usual = ["ts", "mts", "js", "mjs"].map((ending) => `.claude/hooks.${ending}`);

/** The usual hooks file of a folder, as a person would name it there; the first of the names when there is none. */
export function usualHooksFile(cwd: string): string {
  return usual.find((name) => existsSync(resolve(cwd, name))) ?? (usual[0] as string);
}
