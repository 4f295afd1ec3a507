import { posix } from "node:path";
import { type Places, type ShellWord, staticValue } from "./part.ts";
import { mergeVariables, noVariables, type Variables } from "./variables.ts";

/** What is known at one point of a script: the folders it may be in, and its variables. */
export interface State extends Places {
  readonly variables: Variables;
}

/** Where a list goes on: after success, and after failure. No folder at all means that it never does. */
export interface Flow {
  readonly ok: State;
  readonly fail: State;
}

export const nowhere: State = { folders: [], unknown: false, variables: noVariables };
/** In whatever folder, and with whatever in its variables. */
export const unknownPlace: State = { folders: [], unknown: true, variables: noVariables };

const mostFolders = 4;
const longestFolder = 512;

export function here(folder: string): State {
  return { folders: [folder], unknown: false, variables: noVariables };
}

/** The beginning of a script that another shell runs in these folders. */
export function startIn({ folders, unknown }: Places): State {
  return { folders, unknown, variables: noVariables };
}

export function placesOf({ folders, unknown }: State): Places {
  return { folders, unknown };
}

export function staying(state: State): Flow {
  return { ok: state, fail: state };
}

export function either(a: State, b: State): State {
  if (a === b || !isReachable(b)) return a;
  if (!isReachable(a)) return b;
  const variables = mergeVariables(a.variables, b.variables);
  if (b.folders.every((folder) => a.folders.includes(folder)) && (a.unknown || !b.unknown)) {
    return variables === a.variables ? a : { ...a, variables };
  }
  const folders = [...new Set([...a.folders, ...b.folders])];
  const unknown = a.unknown || b.unknown || folders.length > mostFolders;
  return { folders: folders.slice(0, mostFolders), unknown, variables };
}

export function isReachable(places: Places): boolean {
  return places.unknown || places.folders.length > 0;
}

/** Where `cd` or `pushd` with these words leads; a failing `cd` stays where it was. */
export function follow(head: string, args: readonly ShellWord[], from: State, home: string, hasCdPath: boolean): Flow {
  const to = destination(head, args, home, hasCdPath);
  const { variables } = from;
  if (to === undefined) return { ok: { ...unknownPlace, variables }, fail: from };
  if (posix.isAbsolute(to)) return { ok: { ...here(posix.resolve(to)), variables }, fail: from };
  const reached = from.folders.map((folder) => (/^[\w-]+$/.test(to) ? `${folder}/${to}` : posix.resolve(folder, to)));
  const folders = [...new Set(reached)].filter((folder) => folder.length <= longestFolder);
  return { ok: { folders, unknown: from.unknown || folders.length < reached.length, variables }, fail: from };
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
