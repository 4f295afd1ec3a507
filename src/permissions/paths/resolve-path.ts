import { posix } from "node:path";

/** A path, looked at once: every name it goes by on the way, the last being the real one. */
export interface ResolvedPath {
  readonly given: string;
  /** As written, made absolute and normalised. */
  readonly written: string;
  readonly resolved: string;
  /** `written`, what each link made of it, and `resolved`. */
  readonly spellings: readonly string[];
  /** The links met, as absolute paths. */
  readonly links: readonly string[];
  readonly kind: "file" | "folder" | "missing" | "special" | "unreadable";
}

const maxLinks = 40;
export const maxPathLength = 4_096;

/** Why a path cannot be judged at all, or undefined. */
export function pathFault(path: unknown): string | undefined {
  if (typeof path !== "string") return "the path is not a text";
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
      // Back out of a name that does not exist yet: what follows may exist again, and be a link.
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

/** Absolute and normalised, without a slash at the end. */
function absolute(path: string): string {
  const normal = posix.normalize(`/${path}`).replace(/\/+$/, "").replace(/^\/+/, "/");
  return normal === "" ? "/" : normal;
}

export function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** The segments of `path` below `folder`, or undefined when it lies elsewhere. By segments, never by text. */
export function segmentsBelow(path: string, folder: string): readonly string[] | undefined {
  const [segments, base] = [segmentsOf(path), segmentsOf(folder)];
  return base.every((segment, index) => segments[index] === segment) ? segments.slice(base.length) : undefined;
}

export function isWithin(path: string, folder: string): boolean {
  return segmentsBelow(path, folder) !== undefined;
}

/** The worktree of a project in which a path lies, as a list of one or none: there `/x` of the project means the worktree's own `x` too. */
export function worktreeAround(path: string, project: string): readonly string[] {
  if (!path.includes("/worktrees/")) return [];
  const [first, second, name] = segmentsBelow(path, project) ?? [];
  const lies = first === ".claude" && second === "worktrees" && name !== undefined;
  return lies ? [`${project}/.claude/worktrees/${name}`] : [];
}

/** A name as a file system sees it that tells neither case nor Unicode form apart. */
export function foldName(name: string): string {
  if (/^[\x20-\x40\x5b-\x7e]*$/.test(name)) return name;
  // Upper case first: some letters (ſ, K) meet their twin only there.
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** Whether file names are case-sensitive; `auto` looks it up for each volume. */
export type PathCase = "auto" | "sensitive" | "insensitive";

/** What each volume answered; it does not change while a process lives. */
const volumes = new WeakMap<PathFs, Map<number, boolean>>();

/**
 * Whether names that differ in case or Unicode form may be one file here. True where that is unknown.
 * `disk` is whose answers are remembered, `fs` who is asked.
 */
export function foldsCase(path: string, mode: PathCase, disk: PathFs, fs: PathFs = disk): boolean {
  if (mode !== "auto") return mode === "insensitive";
  const known = volumes.get(disk) ?? new Map<number, boolean>();
  volumes.set(disk, known);
  const there = existing(path, fs);
  for (let depth = there.length - 1; depth >= 0; depth--) {
    const { name, folder, stat } = there[depth] ?? { name: "", folder: "", stat: undefined };
    if (stat === undefined) continue;
    const answer = known.get(stat.device) ?? askVolume(name, folder, stat, fs);
    if (answer === undefined) continue;
    known.set(stat.device, answer);
    return answer;
  }
  return true;
}

interface Existing {
  readonly name: string;
  readonly folder: string;
  readonly stat: { readonly device: number; readonly inode: number };
}

/** The part of a path that is there, from the root down. */
function existing(path: string, fs: PathFs): Existing[] {
  const found: Existing[] = [];
  let folder = "";
  for (const name of segmentsOf(path)) {
    const stat = fs.lstat(`${folder}/${name}`);
    if (!("device" in stat)) break;
    found.push({ name, folder, stat });
    folder = `${folder}/${name}`;
  }
  return found;
}

/** A name with its case turned round: the same file, or none (or another one) by that name. */
function askVolume(name: string, folder: string, stat: Existing["stat"], fs: PathFs): boolean | undefined {
  const turned = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  if (turned === name) return undefined;
  const other = fs.lstat(`${folder}/${turned}`);
  if (other.kind === "unreadable") return undefined;
  return "device" in other && other.device === stat.device && other.inode === stat.inode;
}

/** All that judging asks of a file system. No call opens a file or can hang on one; `lstat` and `readlink` follow no link. */
export interface PathFs {
  lstat(path: string): PathStat;
  /** Contract: called on links only. */
  readlink(path: string): string | undefined;
  /**
   * What is in a folder, without `.` and `..`; nothing where there is no folder. Undefined when it is unknown, or is more
   * than anyone looks at. Without this call a glob is judged by its text alone.
   */
  list?(path: string): readonly PathEntry[] | undefined;
}

/** One name in a folder. */
export interface PathEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "special";
}

/** `missing`: there is no such name. `unreadable`: it could not be looked up. */
export type PathStat =
  | { readonly kind: "file" | "folder" | "link" | "special"; readonly device: number; readonly inode: number }
  | { readonly kind: "missing" | "unreadable" };
