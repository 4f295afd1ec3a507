import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { type HomeSource, statePath, whyUnsafe } from "./state-folder.ts";

/** Whether a folder below the state folder is there and safely ours, and the state folder too: a stranger's link could lead into a checkout. */
export function isOwnState(below: string, source: HomeSource): boolean {
  const state = statePath(source);
  return isOwnFolder(state) && isOwnFolder(join(state, below));
}

/** Whether a folder is there and safely ours. A link counts as what it leads to when nobody else made it; so it does for `openFolder`. */
function isOwnFolder(path: string): boolean {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (seen === undefined) return false;
  const follows = seen.isSymbolicLink() && (seen.uid === 0 || seen.uid === process.getuid?.());
  const found = follows ? statSync(path, { throwIfNoEntry: false }) : seen;
  return found?.isDirectory() === true && whyUnsafe(found) === undefined;
}
