import { statSync } from "node:fs";
import { wrong } from "../app/wrong-call.ts";

/** Contract: a pipe or a device in the place of a hooks file is a `Problem` at once; whoever read it would wait for its writer. */
export function checkOrdinary(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  throw wrong("no-load", `${file} does not load: it is not a regular file.`, { file });
}
