import type { PathFs } from "./path-fs.ts";
import { segmentsOf } from "./resolve-path.ts";

export type PathCase = "auto" | "sensitive" | "insensitive";

/** What each volume answered; it does not change while a process lives. */
const volumes = new WeakMap<PathFs, Map<number, boolean>>();

/**
 * Whether names that differ in case or Unicode form may be one file here. True where nobody can say.
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
