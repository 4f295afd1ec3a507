import { type Dirent, lstatSync, opendirSync, readlinkSync, type Stats } from "node:fs";
import { attempt, Problem } from "../../protocol/internal.ts";
import { badCall, checkContext } from "../check-call.ts";
import { isWithin, type PathEntry, type PathFs, type PathStat, pathFault, resolvePath } from "./resolve-path.ts";

const maxEntries = 20_000;

/** The real file system. */
export const realFs: PathFs = {
  lstat(path) {
    try {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return { kind: "missing" };
      return { kind: kindOf(stat), device: stat.dev, inode: stat.ino };
    } catch (cause) {
      return { kind: isMissing(cause) ? "missing" : "unreadable" };
    }
  },
  // Undefined when it was removed or replaced since the lookup. The caller treats it as unreadable.
  readlink: (path) => attempt(() => readlinkSync(path)),
  list(path) {
    try {
      return readFolder(path);
    } catch (cause) {
      return isMissing(cause) ? [] : undefined;
    }
  },
};

function isMissing(cause: unknown): boolean {
  const { code } = cause as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

function readFolder(path: string): readonly PathEntry[] | undefined {
  const folder = opendirSync(path, { bufferSize: 256 });
  const entries: PathEntry[] = [];
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length === maxEntries) return undefined;
      entries.push({ name: entry.name, kind: kindOf(entry) });
    }
  } finally {
    folder.closeSync();
  }
  return entries;
}

function kindOf(entry: Stats | Dirent): PathEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "special";
}

const maxListed = 200_000;

/**
 * A file system that looks up each name once, so that one judgment sees a consistent state. Its listings return at most `maxListed`
 * names in total.
 */
export function cachingFs(fs: PathFs): PathFs {
  const stats = new Map<string, PathStat>();
  const links = new Map<string, string | undefined>();
  const folders = new Map<string, readonly PathEntry[] | undefined>();
  let left = maxListed;
  const list = (path: string) => {
    const entries = left > 0 ? getOrMake(folders, path, () => fs.list?.(path)) : undefined;
    left -= entries?.length ?? 0;
    return entries;
  };
  return {
    lstat: (path) => getOrMake(stats, path, () => fs.lstat(path)),
    readlink: (path) => getOrMake(links, path, () => fs.readlink(path)),
    ...(fs.list && { list }),
  };
}

export function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  const existing = map.get(key);
  if (existing !== undefined || map.has(key)) return existing as T;
  const value = make();
  map.set(key, value);
  return value;
}

/** The start of relative paths, and the file system in which they are looked up. */
export interface InsideContext {
  /** The folder to which relative paths are relative. */
  readonly cwd: string;
  /** The file system in which paths are looked up. Default: the real one. */
  readonly fs?: PathFs;
}

/**
 * Returns the real path of `path` if it is inside one of the roots; otherwise throws `path/outside`.
 * Only the given roots count: neither home nor the temp folder is a root by default.
 */
export function resolveInside(path: string, roots: readonly string[], context: InsideContext): string {
  checkContext(context, "resolveInside", ["cwd"]);
  if (!Array.isArray(roots)) throw badCall("resolveInside", "its second argument must be a list of folders");
  const { cwd, fs = realFs } = context;
  const fault = pathFault(path);
  if (fault !== undefined) {
    throw new Problem("path/outside", `${fault}; give a path inside ${roots.join(" or ")}`, { about: { roots } });
  }
  const { resolved, kind } = resolvePath(path, cwd, fs);
  const realRoots = roots.map((root) => resolvePath(root, cwd, fs).resolved);
  if (kind !== "unreadable" && realRoots.some((root) => isWithin(resolved, root))) return resolved;
  const why = kind === "unreadable" ? "cannot be followed to its end" : `is ${resolved}`;
  throw new Problem("path/outside", `${path} ${why}, which is not inside ${roots.join(" or ")}`, {
    about: { path, resolved, roots },
  });
}
