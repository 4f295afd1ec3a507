import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkRoots } from "../option-checks.ts";
import { isSafeId, liesUnder } from "../safe-paths.ts";
import type { Root } from "./session-roots.ts";

/** One transcript file, main or an agent's, as the disk has it now. */
export interface TranscriptFile {
  readonly path: string;
  readonly root: Root;
  /** Name of the project folder. */
  readonly project: string;
  /** By the path; absent for agents of older versions, which lie beside the main files: their lines say it. */
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
 * Every transcript of these roots, agents included, also of sessions whose main file is gone; by path. Built for those who
 * look at all files on every run: one listing per folder, one stat per file, nothing opened.
 */
export function findTranscripts(roots: readonly Root[], onUnread?: OnUnread): TranscriptFile[] {
  checkRoots(roots);
  const found = openFinds(onUnread);
  for (const root of roots) {
    const projects = join(root.path, "projects");
    for (const project of entriesOf(root, projects, found)) {
      if (project.folder) inProject(root, project.name, join(projects, project.name), found);
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
  const root: Root = { path: dirname(dirname(folder)), origin: "client" };
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

function inProject(root: Root, project: string, folder: string, found: Finds): void {
  for (const { name, folder: isFolder } of entriesOf(root, folder, found)) {
    const path = join(folder, name);
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

function inSession(root: Root, project: string, session: string, folder: string, found: Finds, depth: number): void {
  for (const { name, folder: isFolder } of entriesOf(root, folder, found)) {
    const path = join(folder, name);
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
    // To open a pipe would wait for a writer, perhaps for ever.
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

/** What lies in a folder. A link is followed only if it stays under the root; a folder that is not there is empty. */
function entriesOf(root: Root, folder: string, found: Finds): { readonly name: string; readonly folder: boolean }[] {
  return listing(folder, found).flatMap((entry) => {
    if (entry.isDirectory()) return { name: entry.name, folder: true };
    if (entry.isFile()) return { name: entry.name, folder: false };
    return entry.isSymbolicLink() ? behindLink(root, folder, entry.name) : [];
  });
}

function listing(folder: string, found: Finds): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") found.unread(folder, error);
    return [];
  }
}

function behindLink(root: Root, folder: string, name: string): { readonly name: string; readonly folder: boolean }[] {
  const path = join(folder, name);
  try {
    if (!liesUnder(root.path, realpathSync(path))) return [];
    const stat = statSync(path);
    return stat.isDirectory() || stat.isFile() ? [{ name, folder: stat.isDirectory() }] : [];
  } catch {
    // A link to nothing is nothing to read.
    return [];
  }
}
