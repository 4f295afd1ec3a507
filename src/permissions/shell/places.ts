import { posix } from "node:path";
import { type Places, type ShellWord, staticValue } from "./part.ts";

/** Where a list goes on: after success, and after failure. No folder at all means that it never does. */
export interface Flow {
  readonly ok: Places;
  readonly fail: Places;
}

export const nowhere: Places = { folders: [], unknown: false };
export const unknownPlace: Places = { folders: [], unknown: true };

const mostFolders = 4;
const longestFolder = 512;

export function here(folder: string): Places {
  return { folders: [folder], unknown: false };
}

export function staying(places: Places): Flow {
  return { ok: places, fail: places };
}

export function either(a: Places, b: Places): Places {
  if (a === b) return a;
  if (b.folders.every((folder) => a.folders.includes(folder)) && (a.unknown || !b.unknown)) return a;
  const folders = [...new Set([...a.folders, ...b.folders])];
  const unknown = a.unknown || b.unknown || folders.length > mostFolders;
  return { folders: folders.slice(0, mostFolders), unknown };
}

export function isReachable(places: Places): boolean {
  return places.unknown || places.folders.length > 0;
}

/** Where `cd` or `pushd` with these words leads; a failing `cd` stays where it was. */
export function follow(head: string, args: readonly ShellWord[], from: Places, home: string, hasCdPath: boolean): Flow {
  const to = destination(head, args, home, hasCdPath);
  if (to === undefined) return { ok: unknownPlace, fail: from };
  if (posix.isAbsolute(to)) return { ok: here(posix.resolve(to)), fail: from };
  const reached = from.folders.map((folder) => (/^[\w-]+$/.test(to) ? `${folder}/${to}` : posix.resolve(folder, to)));
  const folders = [...new Set(reached)].filter((folder) => folder.length <= longestFolder);
  return { ok: { folders, unknown: from.unknown || folders.length < reached.length }, fail: from };
}

function destination(head: string, args: readonly ShellWord[], home: string, hasCdPath: boolean): string | undefined {
  if (head === "popd") return undefined;
  const physical = args.some((word) => staticValue(word) === "-P");
  const operands = args.filter((word) => !/^(-[LP]|--)$/.test(staticValue(word) ?? ""));
  const target = operands[0];
  if (target === undefined) return head === "cd" ? home : undefined;
  if (operands.length > 1) return undefined;
  const path = target.tilde === undefined ? staticValue(target) : home + target.tilde;
  // `-` and `+1` are earlier folders; an empty name is a corner bash treats in several ways.
  if (path === undefined || path === "" || /^[-+]/.test(path)) return undefined;
  if (physical && path.split("/").includes("..")) return undefined;
  return hasCdPath && !/^\.{0,2}\//.test(path) && path !== "." && path !== ".." ? undefined : path;
}
