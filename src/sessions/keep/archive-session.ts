import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Fs,
  type HomeSource,
  ignoringErrors,
  nodeFs,
  openFolder,
  openState,
  readRegularFile,
  replaceFile,
  withLock,
} from "../../files/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import { findSessions, projectFolderResolver, type SessionPlace } from "../find/session-files.ts";
import { archiveRoot, findRoots, type RootOptions, type SessionRoot } from "../find/session-roots.ts";
import { checkCallOptions, checkSessionPlace, homeOptions } from "../option-checks.ts";
import {
  type ArchivedFile,
  type ArchiveManifest,
  archiveFile,
  manifestPath,
  readArchiveManifest,
} from "./archive-file.ts";
import { sessionPaths } from "./replace-session-files.ts";

/** Options of `archiveSession`. */
export interface ArchiveOptions extends HomeSource {
  /** The folder of the archive. Default: in the user's state folder. */
  readonly root?: string;
  /** Replaces the file system, for tests. */
  readonly fs?: Fs;
  /** Replaces the clock, for tests. */
  readonly now?: () => number;
}

/** The result of `archiveSession`: the number of files and bytes that were archived. */
export interface ArchiveResult {
  readonly session: string;
  /** Files that had something new, and how many bytes of it. */
  readonly files: number;
  readonly addedBytes: number;
  /** Of the source, over all files. */
  readonly heldBytes: number;
}

/**
 * Keeps a copy of a whole session, compressed. Run again, it adds what is new. Contract: the source is only read; a run that
 * is killed leaves what was archived before, and the next one continues from there.
 */
export async function archiveSession(place: SessionPlace, options: ArchiveOptions = {}): Promise<ArchiveResult> {
  checkSessionPlace(place);
  checkCallOptions("archiveSession", options, [...homeOptions, "root", "fs", "now"]);
  const { fs = nodeFs, now = Date.now, root = archiveRoot(options).path } = options;
  if (place.root.origin === "archive") return { session: place.id, files: 0, addedBytes: 0, heldBytes: 0 };
  if (options.root === undefined) await openState([], options, fs);
  await openFolder(root, fs);
  const source = await projectFolderResolver()(place);
  const path = manifestPath(root, source);
  await openFolder(dirname(path), fs);
  return withLock(path, addNew, { fs });

  async function addNew(): Promise<ArchiveResult> {
    const before = await readArchiveManifest(path, fs);
    const files: Record<string, ArchivedFile> = { ...before?.files };
    let changed = 0;
    let addedBytes = 0;
    for (const name of await sessionPaths(source)) {
      const known = before?.files[name];
      const target = join(root, "projects", source.project, `${name}.gz`);
      const held = await archiveFile(join(source.folder, name), target, known, fs);
      if (held === known) continue;
      const added = held.members.filter((member) => !known?.members.includes(member));
      addedBytes += added.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      changed += 1;
      files[name] = held;
    }
    const heldBytes = Object.values(files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (changed > 0) {
      const archivedAt = new Date(now()).toISOString();
      const next: ArchiveManifest = { version: 1, session: source.id, source: source.file, archivedAt, files };
      await replaceFile(path, `${JSON.stringify(next)}\n`, { fs });
    }
    return { session: source.id, files: changed, addedBytes, heldBytes };
  }
}

/** A session that Claude Code will delete soon and that is not completely archived. */
export interface ExpiringSession {
  readonly place: SessionPlace;
  readonly dueAt: string;
  /** Bytes of its transcript that are not archived. */
  readonly missingBytes: number;
}

export interface ExpiringOptions extends RootOptions {
  readonly now?: () => number;
  /** The folder of the archive. Default: in the user's state folder. */
  readonly archive?: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Sessions that Claude Code will delete within a week, because they did not change for a while. */
export async function expiringSessions(options: ExpiringOptions = {}): Promise<ExpiringSession[]> {
  const { now = Date.now, archive = archiveRoot(options).path } = options;
  const due: ExpiringSession[] = [];
  const files = new Set<string>();
  const unlinked = projectFolderResolver();
  for (const root of await findRoots(options)) {
    if (root.origin !== "client") continue;
    const days = cleanupDays(root);
    for (const found of findSessions([root])) {
      const place = await unlinked(found);
      if (files.has(place.file)) continue;
      files.add(place.file);
      const stats = await ignoringErrors(["ENOENT"], stat(place.file));
      const dueMs = stats === undefined ? Number.POSITIVE_INFINITY : stats.mtimeMs + days * dayMs;
      if (stats === undefined || dueMs > now() + 7 * dayMs) continue;
      const manifest = await readArchiveManifest(manifestPath(archive, place), nodeFs);
      const held = manifest?.files[`${place.id}.jsonl`]?.sizeBytes ?? 0;
      if (held >= stats.size) continue;
      due.push({ place, dueAt: new Date(dueMs).toISOString(), missingBytes: stats.size - held });
    }
  }
  return due.sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
}

/** `cleanupPeriodDays` of Claude Code's settings; 30 when the settings have none or cannot be read. */
function cleanupDays({ path }: SessionRoot): number {
  const text = attempt(() => readRegularFile(join(path, "settings.json")))?.toString("utf8") ?? "";
  const days = Number(/"cleanupPeriodDays"\s*:\s*(\d+)/.exec(text)?.[1] ?? 30);
  return Number.isSafeInteger(days) ? days : 30;
}
