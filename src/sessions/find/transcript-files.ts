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

/** Called with a folder or file that exists and cannot be read. */
type OnUnread = (path: string, error: unknown) => void;

/**
 * Every transcript of these roots, sorted by path: main files and agents, also agents of sessions without a main file. Cheap enough for
 * callers that check all files on every run: one listing per folder, one stat per file, nothing opened.
 */
export function findTranscripts(roots: readonly SessionRoot[], onUnread: OnUnread = () => undefined): TranscriptFile[] {
  checkRoots(roots);
  const files = roots.flatMap((root) =>
    readFolder(root.path, join(root.path, "projects"), onUnread).flatMap(({ name, path, folder }) =>
      folder ? transcriptsInProject({ root, project: name }, path, onUnread) : [],
    ),
  );
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One main transcript and the agents of its session; empty when the file does not exist. */
export function findTranscriptsOf(file: string, onUnread: OnUnread = () => undefined): TranscriptFile[] {
  const folder = dirname(file);
  const session = transcriptName(basename(file));
  if (session === undefined) return [];
  const root: SessionRoot = { path: dirname(dirname(folder)), origin: "client" };
  const owner = { root, project: basename(folder), session };
  const agents = isSafeId(session) ? agentsOf(owner, join(folder, session), onUnread) : [];
  return [...withStat(file, owner, onUnread), ...agents];
}

function transcriptsInProject(owner: FileOwner, folder: string, onUnread: OnUnread): readonly TranscriptFile[] {
  return readFolder(owner.root.path, folder, onUnread).flatMap(({ name, path, folder: isFolder }) => {
    if (isFolder) return isSafeId(name) ? agentsOf({ ...owner, session: name }, path, onUnread) : [];
    const id = transcriptName(name);
    if (id === undefined) return [];
    return withStat(path, { ...owner, ...(agentIn(id, folder) ?? { session: id }) }, onUnread);
  });
}

type FileOwner = Pick<TranscriptFile, "root" | "project" | "session" | "agent" | "meta">;

/** The agents of a session, by its own folder. */
function agentsOf(owner: FileOwner, folder: string, onUnread: OnUnread): readonly TranscriptFile[] {
  const files = sessionFilesBelow(owner.root.path, join(folder, "subagents"), "subagents", onUnread);
  return files.flatMap(({ path }) => {
    const agent = agentIn(transcriptName(basename(path)), dirname(path));
    return agent === undefined ? [] : withStat(path, { ...owner, ...agent }, onUnread);
  });
}

function agentIn(id: string | undefined, folder: string): Pick<FileOwner, "agent" | "meta"> | undefined {
  if (!id?.startsWith("agent-")) return undefined;
  return { agent: id.slice(6), meta: join(folder, `${id}.meta.json`) };
}

function withStat(path: string, owner: FileOwner, onUnread: OnUnread): readonly TranscriptFile[] {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    // Opening a pipe would wait for a writer.
    if (stat === undefined || !stat.isFile()) return [];
    const { dev, ino, size, mtimeMs } = stat;
    return [{ path, ...owner, dev, ino, size, mtimeMs }];
  } catch (error) {
    onUnread(path, error);
    return [];
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
  return readFolder(root, folder, unlessForbidden);
}

function unlessForbidden(_: string, error: unknown): void {
  if (errorCode(error) !== "EACCES") throw error;
}

/** Links inside the root could form a cycle. Claude Code nests no folders anywhere near this deep. */
const maxDepth = 16;

/** All files below a folder of a session, named by their path in the session's own folder. */
export function sessionFilesBelow(
  root: string,
  folder: string,
  prefix: string,
  onUnread: OnUnread = unlessForbidden,
): readonly { readonly name: string; readonly path: string }[] {
  return readFolder(root, folder, onUnread).flatMap((entry) => {
    const name = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    if (!entry.folder) return [{ name, path: entry.path }];
    return name.split("/").length < maxDepth ? sessionFilesBelow(root, entry.path, name, onUnread) : [];
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
