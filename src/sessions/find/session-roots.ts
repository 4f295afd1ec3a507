import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type HomeSource, homeFolder, statePath } from "../../files/internal.ts";

import { optionProblem } from "../option-checks.ts";

/** A folder with `projects/` in it, by its real path. */
export interface SessionRoot {
  readonly path: string;
  readonly origin: RootOrigin;
}

/** Who keeps the sessions of a root: an agent, our own store, or our archive. */
export type RootOrigin = "client" | "hookline" | "archive";

/** Of a session in several places the lowest rank counts: where it was recorded, before the archive's copy. */
export const originRank: Readonly<Record<RootOrigin, number>> = { client: 0, hookline: 1, archive: 2 };

/** Where to look. Roots that the caller names are the only ones looked at. */
export interface RootOptions extends HomeSource {
  /** Config folders to read. Default: those of the client, our store and the archive. */
  readonly roots?: readonly (string | SessionRoot)[] | undefined;
}

/** Every root there is, once each, in a fixed order: the client's, our store, the archive. */
export async function findRoots(where: RootOptions = {}): Promise<SessionRoot[]> {
  if (where.roots !== undefined && !Array.isArray(where.roots))
    throw optionProblem("roots", where.roots, "a list of folders");
  const wanted = where.roots?.map((root) => (typeof root === "string" ? client(root) : root)) ?? usualRoots(where);
  const roots = new Map<string, SessionRoot>();
  for (const { path, origin } of wanted) {
    const real = await configFolder(path);
    if (real !== undefined && !roots.has(real)) roots.set(real, { path: real, origin });
  }
  return [...roots.values()];
}

/** Where our own store keeps its sessions, by default. */
export function storeRoot(source: HomeSource = {}): SessionRoot {
  return { path: join(statePath(source), "sessions"), origin: "hookline" };
}

/** Where sessions are kept after a client has deleted them, by default. */
export function archiveRoot(source: HomeSource = {}): SessionRoot {
  return { path: join(statePath(source), "archive"), origin: "archive" };
}

function usualRoots(where: RootOptions): SessionRoot[] {
  return [...clientRoots(where), storeRoot(where), archiveRoot(where)];
}

function clientRoots({ env = process.env, home = homeFolder(env) }: RootOptions): SessionRoot[] {
  const named = (env["CLAUDE_CONFIG_DIR"] ?? "").split(",").flatMap((part) => part.trim() || []);
  if (named.length > 0) return named.map(client);
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  return [client(join(home, ".claude")), client(join(config, "claude"))];
}

function client(path: string): SessionRoot {
  return { path, origin: "client" };
}

/** The real config folder for a path that names it or its `projects` folder; undefined when there is none. */
async function configFolder(path: string): Promise<string | undefined> {
  const whole = resolve(path);
  if (await isFolder(join(whole, "projects"))) return realpath(whole);
  if (basename(whole) === "projects" && (await isFolder(whole))) return realpath(dirname(whole));
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Not there, or not ours to look at: either way no sessions can be read from it.
    return false;
  }
}

const longest = 200;

/**
 * The name of the project folder for a working directory: every UTF-16 unit outside A-Z a-z 0-9 becomes a hyphen. A long
 * result is cut and made unique by a hash of the original. The name cannot be turned back into a path.
 */
export function folderName(cwd: string): string {
  const escaped = cwd.replace(/[^A-Za-z0-9]/g, "-");
  if (escaped.length <= longest) return escaped;
  return `${escaped.slice(0, longest)}-${hash(cwd)}`;
}

function hash(text: string): string {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0;
  return Math.abs(value).toString(36);
}

/** A working directory as sessions may name it: in the name of their project folder, and in their records. */
export interface ProjectFolderFilter {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

export async function projectFolderFilter(cwd: string): Promise<ProjectFolderFilter> {
  const given = resolve(cwd);
  // A folder that no longer exists has only this name.
  const real = await realpath(given).catch(() => given);
  return { names: new Set([folderName(given), folderName(real)]), paths: new Set([given, real]) };
}
