import { existsSync, lstatSync, mkdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { attempt, Problem } from "../protocol/internal.ts";
import { errorCode, type Fs, ignoringErrors, nodeFs, notOurs } from "./disk.ts";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where the state folder is looked up. Defaults to the values of this process. */
export interface HomeSource {
  /** The environment that names directories, such as `CLAUDE_CONFIG_DIR`. Default: that of the process. */
  readonly env?: Env;
  /** The user's home directory. Default: `HOME` of `env`, else the system's entry. */
  readonly home?: string;
  /** Whose conventions apply. Default: this platform. */
  readonly platform?: NodeJS.Platform;
}

/** The path of the user's state folder: `HOOKLINE_HOME`, else the platform's place. Touches nothing. */
export function statePath(source: HomeSource = {}): string {
  const { env = process.env, home = homeFolder(env), platform = process.platform } = source;
  const named = env["HOOKLINE_HOME"];
  if (named) {
    if (isFixed(named)) return named;
    throw relativeHome("HOOKLINE_HOME", named);
  }
  if (platform === "darwin") return join(home, "Library", "Application Support", "hookline");
  if (platform === "win32") return join(env["LOCALAPPDATA"] || join(home, "AppData", "Local"), "hookline");
  const state = env["XDG_STATE_HOME"];
  if (state && isAbsolute(state)) {
    if (isFixed(state)) return join(state, "hookline");
    throw relativeHome("XDG_STATE_HOME", state);
  }
  if (!isFixed(home)) throw relativeHome("HOME", home);
  return join(home, ".local", "state", "hookline");
}

/** Absolute, and the same in every process: `/proc/self/cwd` is the current directory. */
function isFixed(path: string): boolean {
  return isAbsolute(path) && !/^\/(?:\.?\/)*(?:proc\/(?:thread-)?self|dev\/fd)(?:\/|$)/.test(path);
}

/** A checkout could bring records and programs of its own. */
function relativeHome(name: string, value: string): Problem {
  const message = `${name} is "${value}". It must be an absolute path, or every directory would have a state of its own.`;
  return new Problem("file/relative-home", message, { about: { [name]: value } });
}

/**
 * The user's home: `HOME`, or if that is missing or empty the system's entry for the user. Empty when neither is known. The
 * module is not imported: loading it costs every start of a hook, and nearly every environment has `HOME`.
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env["HOME"]) return env["HOME"];
  const { homedir, userInfo } = process.getBuiltinModule("node:os");
  // With HOME="" Node answers "", which would make the folder of every project the user's home.
  if (process.env["HOME"] !== "") return homedir();
  return attempt(() => userInfo().homedir) ?? ""; // a user without an entry: callers that need a home report this
}

/** The state folder itself, or a folder below it: made if missing, 0700, refused when it is not safely ours. */
export async function openState(below: readonly string[], source: HomeSource = {}, fs: Fs = nodeFs): Promise<string> {
  let path = statePath(source);
  await openFolder(path, fs);
  for (const part of below) {
    path = join(path, part);
    await openFolder(path, fs);
  }
  return path;
}

/**
 * Makes a private folder, its missing parents too, or checks one that is there.
 *
 * Contract: afterwards the folder belongs to this user and neither group nor others may write it; otherwise it throws
 * `file/unsafe` or `file/not-ours`. A link there is followed only if this user or root made it.
 */
export async function openFolder(path: string, fs: Fs = nodeFs): Promise<void> {
  const stat = (await ignoringErrors(["ENOENT"], fs.lstat(path))) ?? (await makeFolder(path, fs));
  if (stat.isSymbolicLink() && isForeign(stat)) throw notSafe(path, "it is a link that another user made");
  checkFolder(path, stat.isSymbolicLink() ? await fs.lstat(await fs.realpath(path)) : stat);
}

/** Checks a private folder like `openFolder`, but makes none: false when there is none. */
export async function findFolder(path: string, fs: Fs = nodeFs): Promise<boolean> {
  if ((await ignoringErrors(["ENOENT", "ENOTDIR"], fs.lstat(path))) === undefined) return false;
  await openFolder(path, fs);
  return true;
}

/**
 * Makes a folder (0700) and its missing parents; an existing one is not changed, whatever its permissions. For places that
 * another program keeps, where our own rules do not hold. Contract: a link there is refused.
 */
export async function ensureFolder(path: string, fs: Fs = nodeFs): Promise<void> {
  const stat = (await ignoringErrors(["ENOENT"], fs.lstat(path))) ?? (await makeFolder(path, fs));
  if (!stat.isDirectory()) throw notOurs(path, notAFolder);
}

/** Contract: undefined when a file or folder with this stat is ours and no other user may write it; else the reason. */
export function unsafeReason(stat: Stats): string | undefined {
  if (process.getuid === undefined) return undefined; // Windows: the mode says nothing about other users
  if (isForeign(stat)) return `it belongs to another user (uid ${stat.uid})`;
  if ((stat.mode & 0o022) !== 0) return `others may write it (mode ${(stat.mode & 0o777).toString(8)})`;
  return undefined;
}

/**
 * Makes a private folder and its missing parents without waiting. Contract: throws when it cannot be made. `mkdirSync` with `recursive`
 * never returns on a file system that denies what exists, such as /proc.
 */
export function makeFolderSync(path: string): void {
  for (const isRetry of [false, true]) {
    try {
      mkdirSync(path, { mode: 0o700 });
      return;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return;
      if (isRetry || errorCode(error) !== "ENOENT") throw error;
      makeFolderSync(dirname(path));
    }
  }
}

async function makeFolder(path: string, fs: Fs): Promise<Stats> {
  const parent = dirname(path);
  if (parent !== path && (await ignoringErrors(["ENOENT"], fs.lstat(parent))) === undefined)
    await makeFolder(parent, fs);
  // Another process may have been faster; then its folder is checked like any other.
  await ignoringErrors(["EEXIST"], fs.mkdir(path, 0o700));
  await fs.syncFolder(parent);
  return fs.lstat(path);
}

function checkFolder(path: string, stat: Stats): void {
  if (!stat.isDirectory()) throw notOurs(path, notAFolder);
  const why = unsafeReason(stat);
  if (why !== undefined) throw notSafe(path, why);
}

function isForeign(stat: Stats): boolean {
  const uid = process.getuid?.();
  return uid !== undefined && stat.uid !== uid && stat.uid !== 0;
}

const notAFolder = "should be a directory. Move away what is there and try again.";

function notSafe(path: string, why: string): Problem {
  const wayOut = `Make it yours and writable only by you (chown, chmod go-w "${path}") or set HOOKLINE_HOME to another directory.`;
  return new Problem("file/unsafe", `${path} is not safe to use: ${why}. ${wayOut}`, { about: { path, why } });
}

/**
 * Whether code in a folder below the state folder may be run: both folders are there and safely ours, no link of a stranger leads to
 * them, and they are not in a checkout, which could bring code of its own.
 */
export function isStateFolderSafe(below: string, source: HomeSource, folders?: readonly string[]): boolean {
  const state = statePath(source);
  return (
    isOwnFolder(state) &&
    isOwnFolder(join(state, below)) &&
    !isBehindForeignLink(state) &&
    !isStateInCheckout(source, folders)
  );
}

function isBehindForeignLink(path: string): boolean {
  const parent = dirname(path);
  if (parent === path) return false;
  const seen = lstatSync(parent, { throwIfNoEntry: false });
  return (seen?.isSymbolicLink() === true && isForeign(seen)) || isBehindForeignLink(parent);
}

/**
 * Whether the state folder is in a repository, or in one of `folders`, by default the current one. As for approvals, the home folder and
 * its parents may contain it.
 */
export function isStateInCheckout(source: HomeSource = {}, folders: readonly string[] = [process.cwd()]): boolean {
  const { env = process.env, home = homeFolder(env) } = source;
  // The platform's place is in the home folder.
  if (!env["HOOKLINE_HOME"] && !env["XDG_STATE_HOME"]) return false;
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path);
  const [state, realHome] = [real(statePath(source)), real(home)];
  const isOutsideHome = (folder: string) => !isAbsolute(realHome) || !isInside(realHome, folder);
  if (folders.some((folder) => isOutsideHome(folder) && isInside(state, folder))) return true;
  for (let folder = state; isOutsideHome(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return true;
    if (folder === dirname(folder)) return false;
  }
  return false;
}

/** Whether a folder exists and only this user can write it. A link made by this user counts as its target, as for `openFolder`. */
function isOwnFolder(path: string): boolean {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (seen === undefined) return false;
  const follows = seen.isSymbolicLink() && (seen.uid === 0 || seen.uid === process.getuid?.());
  const found = follows ? statSync(path, { throwIfNoEntry: false }) : seen;
  return found?.isDirectory() === true && unsafeReason(found) === undefined;
}

/** Whether a path is a folder or below it, by its text: links are not followed. */
export function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
