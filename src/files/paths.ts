import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is a folder or below it, by its text: links are not followed. */
export function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
