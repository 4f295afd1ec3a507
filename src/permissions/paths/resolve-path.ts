import { posix } from "node:path";

/** A path with links resolved, and every spelling that it has on the way. */
export interface ResolvedPath {
  readonly given: string;
  /** The given path, absolute and normalized, with links not followed. */
  readonly written: string;
  readonly resolved: string;
  /** `written`, the path after each followed link, and `resolved`. */
  readonly spellings: readonly string[];
  /** The links on the way, as absolute paths. */
  readonly links: readonly string[];
  readonly kind: "file" | "folder" | "missing" | "special" | "unreadable";
}

const maxLinks = 40;
export const maxPathLength = 4_096;

/** Why a path cannot be judged, or undefined. */
export function pathFault(path: unknown): string | undefined {
  if (typeof path !== "string") return "the path is not a string";
  if (path === "") return "the path is empty";
  if (path.includes("\0")) return "the path holds a NUL character";
  return path.length > maxPathLength ? `the path has more than ${maxPathLength} characters` : undefined;
}

export function resolvePath(given: string, cwd: string, fs: PathFs): ResolvedPath {
  const whole = posix.isAbsolute(given) ? given : `${cwd}/${given}`;
  const written = absolute(whole);
  const spellings = [written];
  const links: string[] = [];
  const pending = segmentsOf(whole).reverse();
  const done: string[] = [];
  let kind: ResolvedPath["kind"] = "folder";
  for (let segment = pending.pop(); segment !== undefined; segment = pending.pop()) {
    if (segment === ".") continue;
    if (segment === "..") {
      done.pop();
      // `missing/..` leads back to an existing folder, so the next segments are looked up again.
      if (kind === "missing") kind = "folder";
      continue;
    }
    done.push(segment);
    if (kind === "missing" || kind === "unreadable") continue;
    const path = `/${done.join("/")}`;
    const stat = fs.lstat(path);
    if (stat.kind !== "link") {
      kind = stat.kind;
      continue;
    }
    const target = fs.readlink(path);
    links.push(path);
    if (target === undefined || target === "" || links.length > maxLinks) {
      kind = "unreadable";
      continue;
    }
    done.pop();
    if (posix.isAbsolute(target)) done.length = 0;
    pending.push(...segmentsOf(target).reverse());
    spellings.push(absolute([...done, ...pending.toReversed()].join("/")));
    kind = "folder";
  }
  const resolved = `/${done.join("/")}`;
  spellings.push(resolved);
  return { given, written, resolved, spellings: [...new Set(spellings)], links, kind };
}

/** Absolute and normalized, without a trailing slash. */
function absolute(path: string): string {
  const normal = posix.normalize(`/${path}`).replace(/\/+$/, "").replace(/^\/+/, "/");
  return normal === "" ? "/" : normal;
}

export function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** The segments of `path` below `folder`; undefined if it is not inside. Compares whole segments. */
export function segmentsBelow(path: string, folder: string): readonly string[] | undefined {
  const [segments, base] = [segmentsOf(path), segmentsOf(folder)];
  return base.every((segment, index) => segments[index] === segment) ? segments.slice(base.length) : undefined;
}

export function isWithin(path: string, folder: string): boolean {
  return segmentsBelow(path, folder) !== undefined;
}

/** The worktree of the project that contains the path, as a list of one or none. A rule on `/x` of the project also covers `x` there. */
export function worktreeAround(path: string, project: string): readonly string[] {
  if (!path.includes("/worktrees/")) return [];
  const [first, second, name] = segmentsBelow(path, project) ?? [];
  const isInWorktree = first === ".claude" && second === "worktrees" && name !== undefined;
  return isInWorktree ? [`${project}/.claude/worktrees/${name}`] : [];
}

/** A name with case and Unicode form folded, as a case-insensitive file system compares it. */
export function foldName(name: string): string {
  if (/^[\x20-\x40\x5b-\x7e]*$/.test(name)) return name;
  // Upper case first: some letters (ſ, K) equal their counterpart only there.
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** Whether file names are case-sensitive. `auto` determines it for each volume. */
export type PathCase = "auto" | "sensitive" | "insensitive";

/** The result for each volume, by device number. It does not change while the process runs. */
const volumes = new WeakMap<PathFs, Map<number, boolean>>();

/**
 * Whether names that differ only in case or Unicode form may be the same file here. True if that is unknown.
 * Results are cached per `disk`; lookups go to `fs`.
 */
export function foldsCase(path: string, mode: PathCase, disk: PathFs, fs: PathFs = disk): boolean {
  if (mode !== "auto") return mode === "insensitive";
  const volumeAnswers = volumes.get(disk) ?? new Map<number, boolean>();
  volumes.set(disk, volumeAnswers);
  for (const segment of existingSegments(path, fs).reverse()) {
    const { device } = segment.stat;
    const folds = volumeAnswers.get(device) ?? sameFileInOtherCase(segment, fs);
    if (folds === undefined) continue;
    volumeAnswers.set(device, folds);
    return folds;
  }
  return true;
}

interface ExistingSegment {
  readonly name: string;
  readonly folder: string;
  readonly stat: { readonly device: number; readonly inode: number };
}

/** The segments of a path that exist, from the root down. */
function existingSegments(path: string, fs: PathFs): ExistingSegment[] {
  const parts: ExistingSegment[] = [];
  let folder = "";
  for (const name of segmentsOf(path)) {
    const stat = fs.lstat(`${folder}/${name}`);
    if (!("device" in stat)) break;
    parts.push({ name, folder, stat });
    folder = `${folder}/${name}`;
  }
  return parts;
}

/** Whether a name in the other case is the same file. Undefined if the name has no case or the lookup fails. */
function sameFileInOtherCase({ name, folder, stat }: ExistingSegment, fs: PathFs): boolean | undefined {
  const otherCase = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  if (otherCase === name) return undefined;
  const other = fs.lstat(`${folder}/${otherCase}`);
  if (other.kind === "unreadable") return undefined;
  return "device" in other && other.device === stat.device && other.inode === stat.inode;
}

/** The file system operations that `judge` needs. None opens a file or can hang on one; `lstat` and `readlink` do not follow links. */
export interface PathFs {
  /** What is at a path; links are not followed. */
  lstat(path: string): PathStat;
  /** Contract: called on links only. */
  readlink(path: string): string | undefined;
  /**
   * The entries of a folder without `.` and `..`; an empty list if there is no such folder. Undefined if the folder cannot be read or
   * has too many entries. Without this method a glob is judged by its text alone.
   */
  list?(path: string): readonly PathEntry[] | undefined;
}

/** One entry of a directory. */
export interface PathEntry {
  /** Without its folder. */
  readonly name: string;
  /** What it is. */
  readonly kind: "file" | "folder" | "link" | "special";
}

/** `missing`: there is no such file. `unreadable`: the lookup failed. */
export type PathStat =
  | { readonly kind: "file" | "folder" | "link" | "special"; readonly device: number; readonly inode: number }
  | { readonly kind: "missing" | "unreadable" };
