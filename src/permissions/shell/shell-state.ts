import { posix } from "node:path";
import { type Places, type ShellWord, staticValue } from "./shell-part.ts";
import { isOpenPattern, type ShellVariables, unescapePattern, type VariableValue } from "./word-pieces.ts";

export const noVariables: ShellVariables = new Map();

const maxValues = 32;
/** Limited, because each assignment copies the map. */
const maxVariables = 64;

export function withVariable(
  variables: ShellVariables,
  name: string,
  values: readonly VariableValue[] | undefined,
): ShellVariables {
  const isKnown = variables.has(name);
  if (!isKnown && (values === undefined || variables.size >= maxVariables)) return variables;
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

/** The variables after two branches join: a name keeps the values of both branches, if both are known. */
function mergeVariables(a: ShellVariables, b: ShellVariables): ShellVariables {
  if (a === b) return a;
  const merged = new Map<string, readonly VariableValue[]>();
  for (const [name, values] of a) {
    const others = b.get(name);
    if (others === undefined) continue;
    const added = others.filter(
      ({ text, isPattern }) => !values.some((known) => known.text === text && known.isPattern === isPattern),
    );
    if (values.length + added.length <= maxValues)
      merged.set(name, added.length === 0 ? values : [...values, ...added]);
  }
  return merged;
}

/** What is known at one point of a script: its possible folders and its variables. */
export interface ShellState extends Places {
  readonly variables: ShellVariables;
}

/** The states after success and after failure. A state without any folder is unreachable. */
export interface ShellFlow {
  readonly ok: ShellState;
  readonly fail: ShellState;
}

export const unreachable: ShellState = { folders: [], unknown: false, variables: noVariables };
/** Any folder, and no known variables. */
export const unknownState: ShellState = { folders: [], unknown: true, variables: noVariables };

const maxFolders = 8;
const maxFolderLength = 512;

/** The initial state of a script that another shell runs in these folders. */
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
  return { folders: folders.slice(0, maxFolders), unknown, variables, ...limitedFollowed(followed) };
}

/** Relative paths from the unknown folder to the possible current folders. The empty path is the unknown folder itself. */
function followedFrom({ unknown, followed }: Places): readonly string[] {
  return followed ?? (unknown ? [""] : []);
}

function limitedFollowed(paths: readonly string[]): Pick<Places, "followed"> {
  const followed = paths.filter((path) => path.length <= maxFolderLength).slice(0, maxFolders);
  return followed.every((path) => path === "") ? {} : { followed };
}

/** The same state, but the folder may also be any other one, because a `cd` may have run. */
export function withUnknownFolder(state: ShellState): ShellState {
  return { ...state, unknown: true };
}

/** The same state, but the folder may also be one of `others` or unknown. Relative paths in `others` start in an unknown folder. */
export function withPossibleFolders(state: ShellState, others: Iterable<string>): ShellState {
  const known = [...others].filter((path) => posix.isAbsolute(path));
  const followed = [...others].filter((path) => !posix.isAbsolute(path));
  return {
    ...state,
    folders: [...new Set([...state.folders, ...known])].slice(0, maxFolders),
    unknown: true,
    ...limitedFollowed(
      followed.length > 0 ? [...new Set(["", ...followedFrom(state), ...followed])] : (state.followed ?? []),
    ),
  };
}

export function isReachable(places: Places): boolean {
  return places.unknown || places.folders.length > 0;
}

/** What the target of a `cd` depends on besides its words. */
export interface CdContext {
  readonly home: string;
  readonly hasCdPath: boolean;
  /** Earlier folders of the script: `cd -` and `popd` lead back to one of them. */
  readonly earlier: readonly string[];
}

/** The states after `cd` or `pushd`. A failing `cd` does not change the folder. */
export function followCd(head: string, args: readonly ShellWord[], from: ShellState, context: CdContext): ShellFlow {
  const { sure, paths, back: mayGoBack } = cdTarget(head, args, context);
  const reached = paths.flatMap((path) => foldersReached(path, from));
  const folders = [...new Set(reached)].filter((folder) => folder.length <= maxFolderLength);
  const relative = paths.some((path) => !posix.isAbsolute(path));
  const unknown = !sure || (relative && from.unknown) || folders.length < new Set(reached).size;
  const followed = relative ? followedFrom(from).flatMap((start) => paths.map((path) => posix.join(start, path))) : [];
  // `cd ""` does not change the folder.
  const elsewhere = sure ? followed : ["", ...followed, ...followedFrom(from), ...from.folders];
  const ok: ShellState = {
    folders,
    unknown,
    variables: from.variables,
    ...(unknown ? limitedFollowed([...new Set(elsewhere)]) : {}),
  };
  return { ok: mayGoBack ? withPossibleFolders(ok, context.earlier) : ok, fail: from };
}

function foldersReached(path: string, from: ShellState): readonly string[] {
  if (posix.isAbsolute(path)) return [posix.resolve(path)];
  return from.folders.map((folder) => (/^[\w-]+$/.test(path) ? `${folder}/${path}` : posix.resolve(folder, path)));
}

interface CdTarget {
  /** Whether the target is surely one of the paths. */
  readonly sure: boolean;
  readonly paths: readonly string[];
  /** Whether it may be an earlier folder of the script. */
  readonly back: boolean;
}

const unknownTarget: CdTarget = { sure: false, paths: [], back: false };
const earlierFolder: CdTarget = { sure: false, paths: [], back: true };

function cdTarget(head: string, args: readonly ShellWord[], { home, hasCdPath }: CdContext): CdTarget {
  if (head === "popd") return earlierFolder;
  const physical = args.some((word) => staticValue(word) === "-P");
  const operands = args.filter((word) => !/^(-[LP]|--)$/.test(staticValue(word) ?? ""));
  const target = operands[0];
  if (target === undefined) return head === "cd" ? { sure: true, paths: [home], back: false } : earlierFolder;
  if (operands.length > 1) return unknownTarget;
  const path = target.tilde === undefined ? staticValue(target) : home + target.tilde;
  const texts = path === undefined ? textsOf(target) : [path];
  // `-` and `+1` are earlier folders. An empty name is dropped below: versions of bash treat it differently.
  if (texts.some((text) => /^[-+]/.test(text))) return earlierFolder;
  const known = texts.filter((text) => text !== "" && !(physical && text.split("/").includes("..")));
  const searched = hasCdPath && known.some((text) => !/^\.{0,2}\//.test(text) && text !== "." && text !== "..");
  // With -P links are resolved, so a later `cd ..` leads to the parent of the link's target.
  return { sure: path !== undefined && known.length > 0 && !searched && !physical, paths: known, back: false };
}

/** The possible values of a word with variables, except patterns. */
function textsOf({ expansions = [] }: ShellWord): readonly string[] {
  return expansions.filter((text) => !isOpenPattern(text)).map(unescapePattern);
}
