import { lstatSync, statSync } from "node:fs";
import { whyUnsafe } from "./home.ts";

/** Whether a folder is there and safely ours. A link counts as what it leads to when nobody else made it; so it does for `openFolder`. */
export function isOwnFolder(path: string): boolean {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (seen === undefined) return false;
  const follows = seen.isSymbolicLink() && (seen.uid === 0 || seen.uid === process.getuid?.());
  const found = follows ? statSync(path, { throwIfNoEntry: false }) : seen;
  return found?.isDirectory() === true && whyUnsafe(found) === undefined;
}
