import { lstatSync, opendirSync, readlinkSync } from "node:fs";
import { Problem } from "../../protocol/internal.ts";
import { badCall, checkFolder } from "../check-call.ts";
import { isWithin, type PathEntry, type PathFs, type PathStat, pathFault, resolvePath } from "./resolve-path.ts";

const maxEntries = 20_000;

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
  list(path) {
    try {
      return readFolder(path);
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code;
      return code === "ENOENT" || code === "ENOTDIR" ? [] : undefined;
    }
  },
};

function readFolder(path: string): readonly PathEntry[] | undefined {
  const folder = opendirSync(path, { bufferSize: 256 });
  const entries: PathEntry[] = [];
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length === maxEntries) return undefined;
      const kind = entry.isSymbolicLink()
        ? "link"
        : entry.isDirectory()
          ? "folder"
          : entry.isFile()
            ? "file"
            : "special";
      entries.push({ name: entry.name, kind });
    }
  } finally {
    folder.closeSync();
  }
  return entries;
}

/** The same answers within one judgement: one look per name, and no change halfway. */
export function remembering(fs: PathFs): PathFs {
  const stats = new Map<string, PathStat>();
  const links = new Map<string, string | undefined>();
  const folders = new Map<string, readonly PathEntry[] | undefined>();
  const { list } = fs;
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
    ...(list && {
      list(path: string) {
        if (!folders.has(path)) folders.set(path, list.call(fs, path));
        return folders.get(path);
      },
    }),
  };
}

/** Where relative paths start, and the file system to look at. */
export interface InsideContext {
  /** The folder where relative paths start. */
  readonly cwd: string;
  /** The file system to look at. Default: the real one. */
  readonly fs?: PathFs;
}

/**
 * The real path of `path`, if it is inside one of the roots; otherwise throws `path/outside`.
 * The caller names the roots: neither home nor the temp folder is one by itself.
 */
export function resolveInside(path: string, roots: readonly string[], context: InsideContext): string {
  checkFolder(context?.cwd, "cwd", "resolveInside");
  if (!Array.isArray(roots)) throw badCall("resolveInside", "its second argument must be a list of folders");
  const { cwd, fs = realFs } = context;
  const fault = pathFault(path);
  if (fault !== undefined) {
    throw new Problem("path/outside", `${fault}; give a path inside ${roots.join(" or ")}`, { about: { roots } });
  }
  const { resolved, kind } = resolvePath(path, cwd, fs);
  const real = roots.map((root) => resolvePath(root, cwd, fs).resolved);
  if (kind !== "unreadable" && real.some((root) => isWithin(resolved, root))) return resolved;
  const why = kind === "unreadable" ? "cannot be followed to its end" : `is ${resolved}`;
  throw new Problem("path/outside", `${path} ${why}, which is not inside ${roots.join(" or ")}`, {
    about: { path, resolved, roots },
  });
}
