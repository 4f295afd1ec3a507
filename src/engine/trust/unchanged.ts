import { lstatSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { isBelow, realPathOf } from "./covered/checkout-files.ts";

/** Files that were compared with what was approved, and when that began. */
export interface SeenFiles {
  readonly places: readonly string[];
  /** Milliseconds since 1970. */
  readonly lookedAt: number;
  /** The checkout's folder. */
  readonly root: string;
}

/** How long a file must have been as it is before it is run: longer than the steps in which a disk keeps time. */
export const quietMs = 25;

/** What of files shows a change: another file in the same place, or another time of change. */
export interface Marks {
  readonly byPath: ReadonlyMap<string, string>;
  /** A path that changed so lately that what was read may be older; undefined when none did. */
  readonly fresh: string | undefined;
}

/** Contract: taken after the files were read. When nothing is fresh, what was read is what was there while this was taken. */
export function marksOf({ places, lookedAt, root }: SeenFiles): Marks {
  const byPath = new Map<string, string>();
  let fresh: string | undefined;
  for (const path of partsOf(places, root)) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.ctimeMs > lookedAt - quietMs) fresh ??= path;
    byPath.set(path, stat === undefined ? "gone" : markOf(stat));
  }
  return { byPath, fresh };
}

/** The first path that is not as it was marked. */
export function changedSince({ byPath }: Marks): string | undefined {
  for (const [path, mark] of byPath) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || markOf(stat) !== mark) return path;
  }
  return undefined;
}

/** A folder changes with every file that is made in it, which is no harm; another folder in its place is. */
function markOf(stat: Stats): string {
  return stat.isDirectory() ? `${stat.dev} ${stat.ino}` : `${stat.dev} ${stat.ino} ${stat.size} ${stat.ctimeMs}`;
}

/** The files and every folder of the checkout on the way to them, by name and by their real paths. */
function partsOf(places: readonly string[], root: string): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const place of places) {
    for (const path of new Set([resolve(place), realPathOf(place) ?? resolve(place)])) {
      for (let at = path; !parts.has(at); at = dirname(at)) {
        if (at !== path && !isBelow(at, root)) break;
        parts.add(at);
      }
    }
  }
  return parts;
}
