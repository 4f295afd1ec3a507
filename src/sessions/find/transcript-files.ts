import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkRoots } from "../option-checks.ts";
import { isPathInside, isSafeId } from "../safe-paths.ts";
import type { SessionRoot } from "./session-roots.ts";

/** One transcript file, main or an agent's, as the disk has it now. */
export interface TranscriptFile {
  readonly path: string;
  readonly root: SessionRoot;
  /** Name of the project folder. */
  readonly project: string;
  /** By the path; absent for subagents of older versions, which are next to the main files: their lines name it. */
  readonly session?: string;
  /** Absent for a main transcript. */
  readonly agent?: string;
  /** Where the agent's `.meta.json` would lie. */
  readonly meta?: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Every transcript of these roots, agents included, also of sessions without a main file; by path. For callers that
 * look at all files on every run: one listing per folder, one stat per file, nothing opened.
 */
export function findTranscripts(roots: readonly SessionRoot[], onUnread?: OnUnread): TranscriptFile[] {
  checkRoots(roots);
  const found = openFinds(onUnread);
  for (const root of roots) {
    const projects = join(root.path, "projects");
    for (const { name, path, folder } of readFolder(root.path, projects, found.unread)) {
      if (folder) inProject(root, name, path, found);
    }
  }
  return found.files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** One main transcript and the agents of its session; empty when there is no such file. */
export function findTranscriptsOf(file: string, onUnread?: OnUnread): TranscriptFile[] {
  const found = openFinds(onUnread);
  const folder = dirname(file);
  const session = transcriptName(basename(file));
  if (session === undefined) return found.files;
  const root: SessionRoot = { path: dirname(dirname(folder)), origin: "client" };
  add(found, file, { root, project: basename(folder), session });
  if (isSafeId(session)) inSession(root, basename(folder), session, join(folder, session, "subagents"), found, 0);
  return found.files;
}

/** Called with a folder or file that is there and may not be looked at. */
type OnUnread = (path: string, error: unknown) => void;

interface Finds {
  readonly files: TranscriptFile[];
  readonly unread: OnUnread;
}

function openFinds(unread: OnUnread = () => undefined): Finds {
  return { files: [], unread };
}

function inProject(root: SessionRoot, project: string, folder: string, found: Finds): void {
  for (const { name, path, folder: isFolder } of readFolder(root.path, folder, found.unread)) {
    if (isFolder) {
      if (isSafeId(name)) inSession(root, project, name, join(path, "subagents"), found, 0);
      continue;
    }
    const id = transcriptName(name);
    if (id === undefined) continue;
    if (!id.startsWith("agent-")) add(found, path, { root, project, session: id });
    else add(found, path, { root, project, agent: id.slice(6), meta: join(folder, `${id}.meta.json`) });
  }
}

const deepest = 14;

function inSession(
  root: SessionRoot,
  project: string,
  session: string,
  folder: string,
  found: Finds,
  depth: number,
): void {
  for (const { name, path, folder: isFolder } of readFolder(root.path, folder, found.unread)) {
    if (isFolder) {
      if (depth < deepest) inSession(root, project, session, path, found, depth + 1);
      continue;
    }
    const id = transcriptName(name);
    if (!id?.startsWith("agent-")) continue;
    add(found, path, { root, project, session, agent: id.slice(6), meta: join(folder, `${id}.meta.json`) });
  }
}

function add(found: Finds, path: string, of: Omit<TranscriptFile, "path" | "dev" | "ino" | "size" | "mtimeMs">): void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    // Opening a pipe would wait for a writer, perhaps forever.
    if (stat === undefined || !stat.isFile()) return;
    const { dev, ino, size, mtimeMs } = stat;
    found.files.push({ path, ...of, dev, ino, size, mtimeMs });
  } catch (error) {
    found.unread(path, error);
  }
}

function transcriptName(name: string): string | undefined {
  const plain = name.endsWith(".gz") ? name.slice(0, -3) : name;
  if (!plain.endsWith(".jsonl")) return undefined;
  const id = plain.slice(0, -6);
  return isSafeId(id.startsWith("agent-") ? id.slice(6) : id) ? id : undefined;
}

/** An entry of a folder, with links followed. */
export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly folder: boolean;
}

/** The entries of a folder by name; see `readFolder`. A folder that may not be read is empty. */
export function listEntries(root: string, folder: string): FolderEntry[] {
  return readFolder(root, folder, (_, error) => {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
  });
}

/** Files and folders by name. A link is followed only if it stays under the root; a folder that does not exist is empty. */
function readFolder(root: string, folder: string, onUnread: OnUnread): FolderEntry[] {
  const entries: FolderEntry[] = [];
  for (const dirent of direntsOf(folder, onUnread)) {
    const path = join(folder, dirent.name);
    const target = dirent.isSymbolicLink() ? linkTarget(root, path) : dirent;
    if (target?.isDirectory() || target?.isFile())
      entries.push({ name: dirent.name, path, folder: target.isDirectory() });
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function direntsOf(folder: string, onUnread: OnUnread): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") onUnread(folder, error);
    return [];
  }
}

function linkTarget(root: string, path: string): Stats | undefined {
  try {
    return isPathInside(root, realpathSync(path)) ? statSync(path) : undefined;
  } catch {
    return undefined; // a broken link
  }
}
