import { lstatSync, readlinkSync } from "node:fs";

/** All that judging asks of a file system. Neither call opens a file, follows a link or can hang on one. */
export interface PathFs {
  lstat(path: string): PathStat;
  /** Contract: called on links only. */
  readlink(path: string): string | undefined;
}

/** `missing`: there is no such name. `unreadable`: nobody could say. */
export type PathStat =
  | { readonly kind: "file" | "folder" | "link" | "special"; readonly device: number; readonly inode: number }
  | { readonly kind: "missing" | "unreadable" };

/** The real one. */
export const realFs: PathFs = {
  lstat(path) {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return { kind: "missing" };
      const kind = stat.isSymbolicLink() ? "link" : stat.isDirectory() ? "folder" : stat.isFile() ? "file" : "special";
      return { kind, device: stat.dev, inode: stat.ino };
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code;
      return { kind: code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable" };
    }
  },
  readlink(path) {
    try {
      return readlinkSync(path);
    } catch {
      // Gone or replaced since it was looked at: the caller treats it as unreadable.
      return undefined;
    }
  },
};

/** The same answers within one judgement: one look per name, and no change halfway. */
export function remembering(fs: PathFs): PathFs {
  const stats = new Map<string, PathStat>();
  const links = new Map<string, string | undefined>();
  return {
    lstat(path) {
      const known = stats.get(path) ?? fs.lstat(path);
      stats.set(path, known);
      return known;
    },
    readlink(path) {
      if (!links.has(path)) links.set(path, fs.readlink(path));
      return links.get(path);
    },
  };
}
