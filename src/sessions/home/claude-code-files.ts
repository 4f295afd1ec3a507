import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../files/internal.ts";
import { defined, fieldOf, isObject, textField } from "../../protocol/internal.ts";
import { findRoots, type RootOptions, type SessionRoot } from "../find/session-roots.ts";
import { listEntries } from "../find/transcript-files.ts";
import type { Entry } from "../model/entry.ts";
import { checkCallOptions, homeOptions } from "../option-checks.ts";
import { recordsOf } from "../read/json-records.ts";
import { readLinesReverse } from "../read/read-entries.ts";
import { realPathBelow, safeId } from "../safe-paths.ts";
import { textFields } from "./claude-code-json.ts";

/** A copy of a file from before an edit. */
export interface FileBackup {
  /** `<16 hex>@v<n>` */
  readonly name: string;
  readonly version: number;
  readonly file: string;
  readonly sizeBytes: number;
  /** The copied file, if a snapshot line names it. */
  readonly path?: string;
  /** The message that the copy was made for. */
  readonly messageId?: string;
  readonly takenAt?: string;
  read(): Promise<Buffer>;
}

/** Lists `file-history/<session>/` with facts from the snapshot lines of the transcript. Snapshots without a copy are left out. */
export async function loadFileHistory(
  root: SessionRoot,
  sessionId: string,
  entries: Iterable<Entry>,
): Promise<FileBackup[]> {
  const folder = await realPathBelow(root.path, join(root.path, "file-history", safeId(sessionId)));
  const snapshots = snapshotsIn(entries);
  const backups: FileBackup[] = [];
  for (const { name, path, folder: isFolder } of listEntries(root.path, folder)) {
    const version = /^[0-9a-f]{16}@v(\d+)$/.exec(name)?.[1];
    if (version === undefined || isFolder) continue;
    const { size } = await stat(path);
    backups.push({
      name,
      version: Number(version),
      file: path,
      sizeBytes: size,
      ...snapshots.get(name),
      read: async () => readFile(await realPathBelow(folder, path)),
    });
  }
  return backups;
}

type SnapshotFacts = Pick<FileBackup, "path" | "messageId" | "takenAt">;

/** By the name of the copy, with the first message that refers to it. */
function snapshotsIn(entries: Iterable<Entry>): ReadonlyMap<string, SnapshotFacts> {
  const snapshots = new Map<string, SnapshotFacts>();
  for (const entry of entries) {
    if (entry.kind !== "file-history-snapshot" && entry.kind !== "file-history-delta") continue;
    const tracked = fieldOf(entry.snapshot, "trackedFileBackups");
    for (const [path, backup] of Object.entries(isObject(tracked) ? tracked : {})) {
      const name = textField(backup, "backupFileName");
      if (name === undefined || snapshots.has(name)) continue;
      const takenAt = textField(backup, "backupTime");
      snapshots.set(name, { path, ...defined({ messageId: entry.messageId, takenAt }) });
    }
  }
  return snapshots;
}

/** A prompt from the input history of Claude Code. */
export interface HistoryEntry {
  readonly display: string;
  readonly timestampMs?: number;
  readonly project?: string;
  readonly sessionId?: string;
  readonly pastedContents?: unknown;
  readonly file: string;
  readonly offset: number;
}

/** Options of `readHistory`. */
export interface HistoryOptions extends RootOptions {
  /** Only prompts of this working directory. */
  readonly project?: string;
  /** Only prompts that contain this text, ignoring case. */
  readonly text?: string;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

/** Prompts that were typed, root by root, newest first. Other lines are skipped. */
export async function* readHistory(options: HistoryOptions = {}): AsyncGenerator<HistoryEntry, undefined> {
  checkCallOptions("readHistory", options, [...homeOptions, "roots", "project", "text", "signal"]);
  const text = options.text?.toLowerCase();
  for (const root of await findRoots(options)) {
    for await (const entry of historyIn(join(root.path, "history.jsonl"), options.signal)) {
      if (options.project !== undefined && entry.project !== options.project) continue;
      if (text !== undefined && !entry.display.toLowerCase().includes(text)) continue;
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
    // A missing file is an empty history.
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

function toHistory(object: Readonly<Record<string, unknown>>, file: string, offset: number): HistoryEntry | undefined {
  const { display, timestamp, pastedContents } = object;
  if (typeof display !== "string") return undefined;
  return {
    display,
    ...(typeof timestamp === "number" ? { timestampMs: timestamp } : {}),
    ...textFields(object, ["project", "sessionId"]),
    ...defined({ pastedContents }),
    file,
    offset,
  };
}
