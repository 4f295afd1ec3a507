import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { claudeHome, realFile } from "../../engine/internal.ts";
import { Problem, type ProblemCode } from "../../protocol/internal.ts";

/** The user and the folder for which something is installed. */
export interface InstallTarget {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project's folder, when the user named it. */
  readonly project?: string;
  /** The folder of an administrator's policy. Default: the platform's. */
  readonly managedFolder?: string;
}

/** The files of one scope. */
export interface ScopeFiles {
  readonly scope: InstallScope;
  /** The project's folder; of user scope the one around Claude Code's own folder. */
  readonly root: string;
  readonly settingsFile: string;
  readonly lockFile: string;
}

/** Contract: never the home folder as a project, unless it was named. */
export function scopeFiles(scope: InstallScope, target: InstallTarget): ScopeFiles {
  const { env, home } = target;
  const userFolder = resolve(claudeHome(env["CLAUDE_CONFIG_DIR"], home));
  const folder = scope === "user" ? userFolder : join(projectRoot(target), ".claude");
  const suffix = scope === "local" ? ".local" : "";
  return {
    scope,
    root: dirname(folder),
    settingsFile: join(folder, `settings${suffix}.json`),
    lockFile: join(folder, `.hookline${suffix}.lock`),
  };
}

/** Whether the files of a project's scope are the user's own: with the home folder as the project they count once, as the user's. */
export async function isUserScopeFile({ scope, lockFile }: ScopeFiles, target: InstallTarget): Promise<boolean> {
  return scope !== "user" && (await realFile(lockFile)) === (await realFile(scopeFiles("user", target).lockFile));
}

/** The settings files of every parent folder that are not in effect in the folder itself. `given` are further files that are. */
export function parentSettingsFiles(target: InstallTarget, given: readonly string[]): readonly string[] {
  const here = folderOf(target);
  const filesIn = (folder: string) =>
    ["settings.json", "settings.local.json"].map((name) => join(folder, ".claude", name));
  const inEffect = [...filesIn(here), scopeFiles("user", target).settingsFile, ...given].map(realPath);
  const home = realPath(target.home);
  return foldersUp(here)
    .filter((folder) => folder !== here && folder !== home)
    .flatMap(filesIn)
    .filter((file) => !inEffect.includes(realPath(file)));
}

/** The nearest project folder above, else the current folder. */
export function projectRoot(target: InstallTarget): string {
  const here = folderOf(target);
  if (target.project !== undefined) return here;
  const never = realPath(target.home);
  const marks = [".claude", ".git", "package.json"];
  const isProject = (folder: string) => folder !== never && marks.some((name) => existsSync(join(folder, name)));
  const root = foldersUp(here).find(isProject);
  if (root !== undefined) return root;
  if (here !== never) return here;
  const message = `${here} is your home directory, not a project. Go to a project, name one with --cwd, or use --scope user.`;
  throw new Problem("install/no-project", message, { about: { folder: here } });
}

/** The folder that the user named, else the current one. */
export function folderOf({ cwd, project = "." }: InstallTarget): string {
  return realPath(resolve(cwd, project));
}

/** A folder and all its parents, the nearest first. */
function foldersUp(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUp(parent)];
}

const endings = ["ts", "mts", "js", "mjs"];

/** The hooks file that was named, or the usual one. Contract: it is there, or it is a `Problem`. */
export function hooksFileFor(scope: InstallScope, named: string | undefined, target: InstallTarget): string {
  if (named !== undefined) {
    const file = resolve(target.cwd, named);
    if (!existsSync(file)) throw noFile(`There is no file ${file}.`);
    return realPath(file);
  }
  const folders = [
    ...(scope === "user" ? findProject(target) : [projectRoot(target)]).map((root) => join(root, ".claude")),
    ...(scope === "user" ? [claudeHome(target.env["CLAUDE_CONFIG_DIR"], target.home)] : []),
  ];
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, `hooks.${ending}`)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw noFile(`There is no hooks.${endings.join(", .")} in ${folders.join(" or ")}.`);
  return realPath(found);
}

/** The root of the project around, if there is one. */
export function findProject(target: InstallTarget): readonly string[] {
  const root = unlessProblem(() => projectRoot(target), "install/no-project");
  return root === undefined ? [] : [root];
}

/** What `work` returns; undefined when it throws a `Problem`, or only one with this code. */
export function unlessProblem<T>(work: () => T, code?: ProblemCode): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem && (code === undefined || error.code === code)) return undefined;
    throw error;
  }
}

function noFile(what: string): Problem {
  const wayOut =
    "Run hookline init to create one, or name the file (hookline install FILE) or the project (--cwd DIR).";
  return new Problem("install/no-file", `${what} ${wayOut}`);
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Which settings file: the project's, which is committed; the user's own in this project; the user's in every folder. */
export type InstallScope = "project" | "local" | "user";

export const installScopes: readonly InstallScope[] = ["project", "local", "user"];

/** How an entry reaches the app. */
export type Transport = "http" | "client" | "run";

/** What the user asked for; `auto` is the client, or `run` where the client cannot work. */
export type AskedTransport = "auto" | Transport;

export const askedTransports: readonly AskedTransport[] = ["auto", "http", "client", "run"];

/** What the user agreed to about entries of type http. */
export interface HttpConsent {
  /** Entries for events whose answer decides something. */
  readonly decisions?: true;
  /** A token that is written into the settings file. */
  readonly literalToken?: true;
}
