import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** From the top of the file system to the folder itself. */
export function foldersDownTo(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [...foldersDownTo(above), folder];
}

/** The folders below `root` on the way to `folder`, that one included; none when it lies elsewhere. */
export function foldersBetween(root: string, folder: string): string[] {
  const way = relative(root, folder);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return [];
  let at = root;
  return way.split(sep).map((part) => {
    at = join(at, part);
    return at;
  });
}
