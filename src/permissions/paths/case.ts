import type { PathFs } from "./fs.ts";
import { segmentsOf } from "./resolve.ts";

export type PathCase = "auto" | "sensitive" | "insensitive";

/** What each volume answered; it does not change while a process lives. */
const volumes = new WeakMap<PathFs, Map<number, boolean>>();

/**
 * Whether names that differ in case or Unicode form may be one file here. True where nobody can say (PE-39).
 * `disk` is whose answers are remembered, `fs` who is asked.
 */
export function foldsCase(path: string, mode: PathCase, disk: PathFs, fs: PathFs = disk): boolean {
  if (mode !== "auto") return mode === "insensitive";
  const known = volumes.get(disk) ?? new Map<number, boolean>();
  volumes.set(disk, known);
  const segments = segmentsOf(path);
  for (let count = segments.length; count > 0; count--) {
    const stat = fs.lstat(`/${segments.slice(0, count).join("/")}`);
    if (!("device" in stat)) continue;
    const answer = known.get(stat.device) ?? askVolume(segments.slice(0, count), stat, fs);
    if (answer === undefined) continue;
    known.set(stat.device, answer);
    return answer;
  }
  return true;
}

/** A name with its case turned round: the same file, or none (or another one) by that name. */
function askVolume(
  segments: readonly string[],
  stat: { device: number; inode: number },
  fs: PathFs,
): boolean | undefined {
  const name = segments.at(-1) ?? "";
  const turned = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  if (turned === name) return undefined;
  const other = fs.lstat(`/${[...segments.slice(0, -1), turned].join("/")}`);
  if (other.kind === "unreadable") return undefined;
  return "device" in other && other.device === stat.device && other.inode === stat.inode;
}
