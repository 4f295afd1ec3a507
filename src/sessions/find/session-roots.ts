import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type HomeSource, homeFolder, statePath } from "../../files/internal.ts";
import { Problem, plainLine } from "../../protocol/internal.ts";
import { optionProblem } from "../option-checks.ts";

/** A directory that contains `projects/`, by its real path. */
export interface SessionRoot {
  /** A directory such as `~/.claude`. */
  readonly path: string;
  /** Whose sessions it contains. */
  readonly origin: RootOrigin;
}

/** Who keeps the sessions of a root: an agent, our own store, or our archive. */
export type RootOrigin = "client" | "hookline" | "archive";

/** When several roots hold a session, the lowest rank wins: the original before the archived copy. */
export const originRank: Readonly<Record<RootOrigin, number>> = { client: 0, hookline: 1, archive: 2 };

/** Where to look for sessions. */
export interface RootOptions extends HomeSource {
  /** The config folders to read, and no others. Default: those of Claude Code, our store and the archive. */
  readonly roots?: readonly (string | SessionRoot)[] | undefined;
}

/**
 * Existing roots, each once, in a fixed order: Claude Code's, our store, the archive. A path that the caller names has to be one, since
 * an empty result would be misleading.
 */
export async function findRoots(where: RootOptions = {}): Promise<SessionRoot[]> {
  if (where.roots !== undefined && !Array.isArray(where.roots))
    throw optionProblem("roots", where.roots, "a list of directories");
  const given = where.roots?.map((root) => (typeof root === "string" ? claudeCodeRoot(root) : root));
  const candidates = given ?? [...claudeCodeRoots(where), storeRoot(where), archiveRoot(where)];
  const roots = new Map<string, SessionRoot>();
  for (const { path, origin } of candidates) {
    const real = await configFolder(path);
    if (real === undefined && where.roots?.includes(path)) throw noRoot(path);
    if (real !== undefined && !roots.has(real)) roots.set(real, { path: real, origin });
  }
  return [...roots.values()];
}

function noRoot(path: string): Problem {
  const why = existsSync(path) ? "does not contain projects/" : "does not exist";
  const message = plainLine(`roots contains "${path}", which ${why}. Pass a directory such as ~/.claude.`);
  return new Problem("sessions/option", message, { about: { option: "roots", path } });
}

/** Where our own store keeps its sessions, by default. */
export function storeRoot(source: HomeSource = {}): SessionRoot {
  return { path: join(statePath(source), "sessions"), origin: "hookline" };
}

/** Where sessions are kept after Claude Code has deleted them, by default. */
export function archiveRoot(source: HomeSource = {}): SessionRoot {
  return { path: join(statePath(source), "archive"), origin: "archive" };
}

function claudeCodeRoots({ env = process.env, home = homeFolder(env) }: RootOptions): SessionRoot[] {
  const configured = (env["CLAUDE_CONFIG_DIR"] ?? "").split(",").flatMap((part) => part.trim() || []);
  if (configured.length > 0) return configured.map(claudeCodeRoot);
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  return [join(home, ".claude"), join(config, "claude")].map(claudeCodeRoot);
}

function claudeCodeRoot(path: string): SessionRoot {
  return { path, origin: "client" };
}

/** The real path of a config folder, given that folder or its `projects` folder; undefined when neither exists. */
async function configFolder(path: string): Promise<string | undefined> {
  const absolute = resolve(path);
  if (await isFolder(join(absolute, "projects"))) return realpath(absolute);
  if (basename(absolute) === "projects" && (await isFolder(absolute))) return realpath(dirname(absolute));
  return undefined;
}

/** False also for a folder that is not accessible: no sessions can be read from it. */
async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

const maxNameLength = 200;

/**
 * The name of the project folder for a working directory: every UTF-16 unit outside A-Z a-z 0-9 becomes a hyphen. A long
 * result is cut and made unique by a hash of the original. The path cannot be recovered from the name.
 */
export function folderName(cwd: string): string {
  const escaped = cwd.replace(/[^A-Za-z0-9]/g, "-");
  if (escaped.length <= maxNameLength) return escaped;
  return `${escaped.slice(0, maxNameLength)}-${hash(cwd)}`;
}

function hash(text: string): string {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0;
  return Math.abs(value).toString(36);
}

/** The names and paths under which sessions of one working directory may be stored. */
export interface ProjectFolderFilter {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

export async function projectFolderFilter(cwd: string): Promise<ProjectFolderFilter> {
  const absolute = resolve(cwd);
  // A folder that no longer exists has no other path.
  const real = await realpath(absolute).catch(() => absolute);
  return { names: new Set([folderName(absolute), folderName(real)]), paths: new Set([absolute, real]) };
}
