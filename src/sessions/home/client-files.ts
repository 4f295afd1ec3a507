import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { findRoots, type RootOptions, type SessionRoot } from "../find/session-roots.ts";
import { listEntries } from "../find/transcript-files.ts";
import type { Entry } from "../model/entry.ts";
import { recordsOf } from "../read/json-records.ts";
import { readLinesReverse } from "../read/read-reverse.ts";
import { resolveInside, safeId } from "../safe-paths.ts";
import { fieldsOf } from "./client-json.ts";

/** A copy of a file from before an edit. */
export interface FileBackup {
  /** `<16 hex>@v<n>` */
  readonly name: string;
  readonly version: number;
  readonly file: string;
  readonly sizeBytes: number;
  /** The file that was copied, where a snapshot line names it. */
  readonly path?: string;
  /** The message before which it was copied. */
  readonly messageId?: string;
  readonly takenAt?: string;
  read(): Promise<Buffer>;
}

/** `file-history/<session>/`, joined with the snapshot lines of its transcript. Snapshots without a copy are left out. */
export async function loadFileHistory(
  root: SessionRoot,
  sessionId: string,
  entries: Iterable<Entry>,
): Promise<FileBackup[]> {
  const folder = await resolveInside(root.path, join(root.path, "file-history", safeId(sessionId)));
  const snapshots = snapshotsIn(entries);
  const backups: FileBackup[] = [];
  for (const { name, path, folder: isFolder } of listEntries(root.path, folder)) {
    const version = /^[0-9a-f]{16}@v(\d+)$/.exec(name)?.[1];
    if (version === undefined || isFolder) continue;
    const { size } = await stat(path);
    const known = snapshots.get(name);
    backups.push({
      name,
      version: Number(version),
      file: path,
      sizeBytes: size,
      ...known,
      read: async () => readFile(await resolveInside(folder, path)),
    });
  }
  return backups;
}

type Taken = Pick<FileBackup, "path" | "messageId" | "takenAt">;

/** By the name of the copy: the first message that needed it. */
function snapshotsIn(entries: Iterable<Entry>): ReadonlyMap<string, Taken> {
  const taken = new Map<string, Taken>();
  for (const entry of entries) {
    if (entry.kind !== "file-history-snapshot" && entry.kind !== "file-history-delta") continue;
    const tracked = fieldsOf(fieldsOf(entry.snapshot)["trackedFileBackups"]);
    for (const [path, backup] of Object.entries(tracked)) {
      const { backupFileName, backupTime } = fieldsOf(backup);
      if (typeof backupFileName !== "string" || taken.has(backupFileName)) continue;
      taken.set(backupFileName, {
        path,
        ...(entry.messageId === undefined ? {} : { messageId: entry.messageId }),
        ...(typeof backupTime === "string" ? { takenAt: backupTime } : {}),
      });
    }
  }
  return taken;
}

/** A prompt as the client remembers it for its arrow keys. */
export interface HistoryEntry {
  readonly display: string;
  readonly timestampMs?: number;
  readonly project?: string;
  readonly sessionId?: string;
  readonly pastedContents?: unknown;
  readonly file: string;
  readonly offset: number;
}

export interface HistoryOptions extends RootOptions {
  /** Only of this working directory. */
  readonly project?: string;
  /** Only entries that hold this text, in any case. */
  readonly text?: string;
  readonly signal?: AbortSignal;
}

/** Prompts that were typed, newest first, root by root. Other lines are skipped. */
export async function* readHistory(options: HistoryOptions = {}): AsyncGenerator<HistoryEntry, undefined> {
  const wanted = options.text?.toLowerCase();
  for (const root of await findRoots(options)) {
    for await (const entry of historyIn(join(root.path, "history.jsonl"), options.signal)) {
      if (options.project !== undefined && entry.project !== options.project) continue;
      if (wanted !== undefined && !entry.display.toLowerCase().includes(wanted)) continue;
      yield entry;
    }
  }
}

async function* historyIn(file: string, signal: AbortSignal | undefined): AsyncGenerator<HistoryEntry, undefined> {
  try {
    for await (const line of readLinesReverse(file, signal)) {
      for (const record of recordsOf(line.source, line, ({ display }) => typeof display === "string")) {
        const entry = record.kind === "record" ? toHistory(record.object, file, record.offset) : undefined;
        if (entry !== undefined) yield entry;
      }
    }
  } catch (error) {
    // No history is an empty history.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function toHistory(object: Readonly<Record<string, unknown>>, file: string, offset: number): HistoryEntry | undefined {
  const { display, timestamp, project, sessionId, pastedContents } = object;
  if (typeof display !== "string") return undefined;
  return {
    display,
    ...(typeof timestamp === "number" ? { timestampMs: timestamp } : {}),
    ...(typeof project === "string" ? { project } : {}),
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(pastedContents === undefined ? {} : { pastedContents }),
    file,
    offset,
  };
}
