import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, isInside } from "../../files/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import { checkRoots } from "../option-checks.ts";
import { isSafeId } from "../safe-paths.ts";
import type { SessionRoot } from "./session-roots.ts";

/** One transcript file, main or an agent's, with its current size and time. */
export interface TranscriptFile {
  readonly path: string;
  readonly root: SessionRoot;
  /** Name of the project folder. */
  readonly project: string;
  /** From the path. Absent for subagents of older versions, which are next to the main files: their lines name the session. */
  readonly session?: string;
  /** Absent for a main transcript. */
  readonly agent?: string;
  /** The path of the agent's `.meta.json`, whether or not it exists. */
  readonly meta?: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Every transcript of these roots, sorted by path: main files and agents, also agents of sessions without a main file. Cheap enough for
 * callers that check all files on every run: one listing per folder, one stat per file, nothing opened.
 */
export function findTranscripts(roots: readonly SessionRoot[], onUnread?: OnUnread): TranscriptFile[] {
  checkRoots(roots);
  const scan = startScan(onUnread);
  for (const root of roots) {
    const projects = join(root.path, "projects");
    for (const { name, path, folder } of readFolder(root.path, projects, scan.onUnread)) {
      if (folder) scanProject(scan, root, name, path);
    }
  }
  return scan.files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One main transcript and the agents of its session; empty when the file does not exist. */
export function findTranscriptsOf(file: string, onUnread?: OnUnread): TranscriptFile[] {
  const scan = startScan(onUnread);
  const folder = dirname(file);
  const session = transcriptName(basename(file));
  if (session === undefined) return scan.files;
  const root: SessionRoot = { path: dirname(dirname(folder)), origin: "client" };
  const owner = { root, project: basename(folder), session };
  add(scan, file, owner);
  if (isSafeId(session)) scanAgents(scan, owner, join(folder, session, "subagents"), 0);
  return scan.files;
}

/** Called with a folder or file that exists and cannot be read. */
type OnUnread = (path: string, error: unknown) => void;

interface Scan {
  readonly files: TranscriptFile[];
  readonly onUnread: OnUnread;
}

function startScan(onUnread: OnUnread = () => undefined): Scan {
  return { files: [], onUnread };
}

function scanProject(scan: Scan, root: SessionRoot, project: string, folder: string): void {
  for (const { name, path, folder: isFolder } of readFolder(root.path, folder, scan.onUnread)) {
    if (isFolder) {
      if (isSafeId(name)) scanAgents(scan, { root, project, session: name }, join(path, "subagents"), 0);
      continue;
    }
    const id = transcriptName(name);
    if (id === undefined) continue;
    if (!id.startsWith("agent-")) add(scan, path, { root, project, session: id });
    else add(scan, path, { root, project, agent: id.slice(6), meta: join(folder, `${id}.meta.json`) });
  }
}

type FileOwner = Pick<TranscriptFile, "root" | "project" | "session" | "agent" | "meta">;

const maxDepth = 14;

function scanAgents(scan: Scan, owner: FileOwner, folder: string, depth: number): void {
  for (const { name, path, folder: isFolder } of readFolder(owner.root.path, folder, scan.onUnread)) {
    if (isFolder) {
      if (depth < maxDepth) scanAgents(scan, owner, path, depth + 1);
      continue;
    }
    const id = transcriptName(name);
    if (!id?.startsWith("agent-")) continue;
    add(scan, path, { ...owner, agent: id.slice(6), meta: join(folder, `${id}.meta.json`) });
  }
}

function add(scan: Scan, path: string, owner: FileOwner): void {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    // Opening a pipe would wait for a writer.
    if (stat === undefined || !stat.isFile()) return;
    const { dev, ino, size, mtimeMs } = stat;
    scan.files.push({ path, ...owner, dev, ino, size, mtimeMs });
  } catch (error) {
    scan.onUnread(path, error);
  }
}

/** The id in the name of a transcript, with `agent-` for an agent's; undefined for other files. */
export function transcriptName(name: string): string | undefined {
  const plain = withoutGz(name);
  if (!plain.endsWith(".jsonl")) return undefined;
  const id = plain.slice(0, -6);
  return isSafeId(id.startsWith("agent-") ? id.slice(6) : id) ? id : undefined;
}

export function withoutGz(name: string): string {
  return name.endsWith(".gz") ? name.slice(0, -3) : name;
}

/** An entry of a folder, after following links. */
export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly folder: boolean;
}

/** As `readFolder`; a folder without read permission is empty. */
export function listEntries(root: string, folder: string): FolderEntry[] {
  return readFolder(root, folder, (_, error) => {
    if (errorCode(error) !== "EACCES") throw error;
  });
}

/** Files and folders, sorted by name. A link is followed only if it stays under the root; a missing folder is empty. */
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
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) onUnread(folder, error);
    return [];
  }
}

function linkTarget(root: string, path: string): Stats | undefined {
  return attempt(() => (isInside(realpathSync(path), root) ? statSync(path) : undefined)); // the link may be broken
}
