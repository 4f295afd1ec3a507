import { posix } from "node:path";
import { type Places, type ShellWord, staticValue } from "./shell-part.ts";
import { isPathPattern, type ShellVariables, someWord, unescapePattern, type VariableValue } from "./word-pieces.ts";

export const noVariables: ShellVariables = new Map();

const maxValues = 32;
/** Each step copies them. */
const maxVariables = 64;

export function withVariable(
  variables: ShellVariables,
  name: string,
  values: readonly VariableValue[] | undefined,
): ShellVariables {
  const known = variables.has(name);
  if (!known && (values === undefined || variables.size >= maxVariables)) return variables;
  const changed = new Map(variables);
  if (values === undefined || values.length > maxValues) changed.delete(name);
  else changed.set(name, values);
  return changed;
}

export function withoutVariables(variables: ShellVariables, names: Iterable<string>): ShellVariables {
  let changed: Map<string, readonly VariableValue[]> | undefined;
  for (const name of names) {
    if (!variables.has(name)) continue;
    changed ??= new Map(variables);
    changed.delete(name);
  }
  return changed ?? variables;
}

/** What is known where two ways meet: a name keeps what it holds on either, if both know. */
function mergeVariables(a: ShellVariables, b: ShellVariables): ShellVariables {
  if (a === b) return a;
  const merged = new Map<string, readonly VariableValue[]>();
  for (const [name, values] of a) {
    const others = b.get(name);
    if (others === undefined) continue;
    const added = others.filter(
      ({ text, live }) => !values.some((known) => known.text === text && known.live === live),
    );
    if (values.length + added.length <= maxValues)
      merged.set(name, added.length === 0 ? values : [...values, ...added]);
  }
  return merged;
}

/** What is known at one point of a script: the folders it may be in, and its variables. */
export interface ShellState extends Places {
  readonly variables: ShellVariables;
}

/** Where a list goes on: after success, and after failure. No folder at all means that it never does. */
export interface ShellFlow {
  readonly ok: ShellState;
  readonly fail: ShellState;
}

export const unreachable: ShellState = { folders: [], unknown: false, variables: noVariables };
/** In whatever folder, and with whatever in its variables. */
export const unknownPlace: ShellState = { folders: [], unknown: true, variables: noVariables };

const maxFolders = 8;
const maxFolderLength = 512;

export function startState(folder: string): ShellState {
  return { folders: [folder], unknown: false, variables: noVariables };
}

/** The beginning of a script that another shell runs in these folders. */
export function startIn(places: Places): ShellState {
  return { ...placesIn(places), variables: noVariables };
}

export function placesIn({ folders, unknown, followed }: Places): Places {
  return { folders, unknown, ...(followed ? { followed } : {}) };
}

export function sameFlow(state: ShellState): ShellFlow {
  return { ok: state, fail: state };
}

export function mergeStates(a: ShellState, b: ShellState): ShellState {
  if (a === b || !isReachable(b)) return a;
  if (!isReachable(a)) return b;
  const variables = mergeVariables(a.variables, b.variables);
  const sameFollowed = !b.unknown || (a.unknown && a.followed === b.followed);
  if (sameFollowed && b.folders.every((folder) => a.folders.includes(folder))) {
    return variables === a.variables ? a : { ...a, variables };
  }
  const folders = [...new Set([...a.folders, ...b.folders])];
  const unknown = a.unknown || b.unknown || folders.length > maxFolders;
  const followed = [...new Set([...followedFrom(a), ...followedFrom(b)])];
  return { folders: folders.slice(0, maxFolders), unknown, variables, ...asFollowed(followed) };
}

/** Paths from the folder that is not known to where the script may be; the folder itself is the empty one. */
function followedFrom({ unknown, followed }: Places): readonly string[] {
  return followed ?? (unknown ? [""] : []);
}

function asFollowed(paths: readonly string[]): Pick<Places, "followed"> {
  const followed = paths.filter((path) => path.length <= maxFolderLength).slice(0, maxFolders);
  return followed.every((path) => path === "") ? {} : { followed };
}

/** The state in its folders or any other one: a `cd` may have run or not. */
export function withUnknownFolder(state: ShellState): ShellState {
  return { ...state, unknown: true };
}

/** The state in its folders, in one of `others`, or anywhere. A relative path was followed from a folder that is not known. */
export function withPossibleFolders(state: ShellState, others: Iterable<string>): ShellState {
  const known = [...others].filter((path) => posix.isAbsolute(path));
  const followed = [...others].filter((path) => !posix.isAbsolute(path));
  return {
    ...state,
    folders: [...new Set([...state.folders, ...known])].slice(0, maxFolders),
    unknown: true,
    ...asFollowed(
      followed.length > 0 ? [...new Set(["", ...followedFrom(state), ...followed])] : (state.followed ?? []),
    ),
  };
}

export function isReachable(places: Places): boolean {
  return places.unknown || places.folders.length > 0;
}

/** What a `cd` depends on apart from its words. */
export interface CdContext {
  readonly home: string;
  readonly hasCdPath: boolean;
  /** Folders the script was in before: `cd -` and `popd` lead back to one of them. */
  readonly earlier: readonly string[];
}

/** Where `cd` or `pushd` with these words leads; a failing `cd` stays where it was. */
export function followCd(head: string, args: readonly ShellWord[], from: ShellState, context: CdContext): ShellFlow {
  const { sure, paths, back } = destination(head, args, context);
  const reached = paths.flatMap((path) => foldersBehind(path, from));
  const folders = [...new Set(reached)].filter((folder) => folder.length <= maxFolderLength);
  const relative = paths.some((path) => !posix.isAbsolute(path));
  const unknown = !sure || (relative && from.unknown) || folders.length < new Set(reached).size;
  const followed = relative ? followedFrom(from).flatMap((start) => paths.map((path) => posix.join(start, path))) : [];
  // An empty name in quotes leads nowhere: the script stays where it is.
  const elsewhere = sure ? followed : ["", ...followed, ...followedFrom(from), ...from.folders];
  const ok: ShellState = {
    folders,
    unknown,
    variables: from.variables,
    ...(unknown ? asFollowed([...new Set(elsewhere)]) : {}),
  };
  return { ok: back ? withPossibleFolders(ok, context.earlier) : ok, fail: from };
}

function foldersBehind(path: string, from: ShellState): readonly string[] {
  if (posix.isAbsolute(path)) return [posix.resolve(path)];
  return from.folders.map((folder) => (/^[\w-]+$/.test(path) ? `${folder}/${path}` : posix.resolve(folder, path)));
}

interface Destination {
  /** Whether it is one of the paths and no other. */
  readonly sure: boolean;
  readonly paths: readonly string[];
  /** Whether it may be a folder the script was in before. */
  readonly back: boolean;
}

const anywhere: Destination = { sure: false, paths: [], back: false };
const backAgain: Destination = { sure: false, paths: [], back: true };

function destination(head: string, args: readonly ShellWord[], { home, hasCdPath }: CdContext): Destination {
  if (head === "popd") return backAgain;
  const physical = args.some((word) => staticValue(word) === "-P");
  const operands = args.filter((word) => !/^(-[LP]|--)$/.test(staticValue(word) ?? ""));
  const target = operands[0];
  if (target === undefined) return head === "cd" ? { sure: true, paths: [home], back: false } : backAgain;
  if (operands.length > 1) return anywhere;
  const path = target.tilde === undefined ? staticValue(target) : home + target.tilde;
  const texts = path === undefined ? textsOf(target) : [path];
  // `-` and `+1` are earlier folders; an empty name is a corner bash treats in several ways.
  if (texts.some((text) => /^[-+]/.test(text))) return backAgain;
  const known = texts.filter((text) => text !== "" && !(physical && text.split("/").includes("..")));
  const searched = hasCdPath && known.some((text) => !/^\.{0,2}\//.test(text) && text !== "." && text !== "..");
  // With -P a link leads to the folder behind it, and a later `cd ..` to the folder above that one.
  return { sure: path !== undefined && known.length > 0 && !searched && !physical, paths: known, back: false };
}

/** What a word with variables may be where it is no pattern of names. */
function textsOf({ expansions = [] }: ShellWord): readonly string[] {
  return expansions.filter((text) => !isPathPattern(text) && !text.includes(someWord)).map(unescapePattern);
}
