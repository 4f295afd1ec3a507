import { dirname } from "node:path";
import { errorCode, type Fs, ignoringErrors, nodeFs, replaceFile, sha256, withLock } from "../../../files/internal.ts";
import { defined, Problem, systemErrorMessage } from "../../../protocol/internal.ts";
import { decodeUtf8, maxSettingsBytes, readSettingsSource, realFile, valueIn } from "../settings-source.ts";
import { type Edit, editText } from "./edit-text.ts";

interface EditOptions {
  readonly fs?: Fs;
  /** The mode of a new file. */
  readonly mode?: number;
  /** The mode of created folders. Other users may not write there, with any umask. */
  readonly folderMode?: number;
  readonly signal?: AbortSignal;
  /** Returns the result without creating, locking or writing anything. */
  readonly dryRun?: boolean;
  /** Turns the text on disk into the one that is edited. Called with readable text only. */
  readonly prepare?: (text: string) => string;
  /** Receives the result, in a dry run too. If it throws, the file is not changed. */
  readonly verify?: (edited: EditedFile) => void;
  /** Called under the lock, right before the file is replaced, to make a backup. If it throws, the file is not changed. */
  readonly beforeWrite?: (edited: EditedFile) => Promise<void>;
}

export interface EditedFile {
  /** False when the edits changed nothing; then nothing was written. */
  readonly changed: boolean;
  /** Whether there was no file before. */
  readonly created: boolean;
  readonly before: string;
  readonly after: string;
  /** The hash of the new content, as in a layer. */
  readonly contentHash: string;
}

/** The value of a file and its text on disk, for the code that plans the edits. */
export type PlanEdits = (settings: unknown, text: string) => readonly Edit[];

/** How often an edit starts again because another program changed the file in the meantime. */
const maxAttempts = 5;

/**
 * Edits a settings file in place, under a lock, and never overwrites what another program wrote in the meantime.
 *
 * Contract: a file that cannot be read is `settings/unreadable` and keeps its bytes; one that keeps changing, or is locked, is
 * `settings/busy`. A link stays a link and its target is written; mode and owner stay.
 */
export async function editSettings(file: string, change: PlanEdits, options: EditOptions = {}): Promise<EditedFile> {
  const { fs = nodeFs, signal, dryRun = false } = options;
  try {
    if (dryRun) return (await planEdit(file)).result;
    await makeFolder(dirname(file), fs, options.folderMode ?? 0o755);
    // An edit under another name waits for the same lock.
    const target = await realFile(file, fs);
    return await withLock(target, () => editLocked(target), defined({ fs, signal }));
  } catch (cause) {
    throw asProblem(cause, file);
  }

  async function editLocked(target: string): Promise<EditedFile> {
    const { mode = 0o644, beforeWrite } = options;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const { bytes, result } = await planEdit(target);
      if (!result.changed) return result;
      await beforeWrite?.(result);
      const replaced = await replaceFile(target, Buffer.from(result.after), { fs, mode, expect: bytes ?? null });
      if (replaced === "replaced") return result;
    }
    throw busy(file, "it changes while it is being edited");
  }

  /** The edit of the file as it is now, and its current bytes. */
  async function planEdit(target: string): Promise<{ bytes: Uint8Array | undefined; result: EditedFile }> {
    const { prepare, verify } = options;
    const found = await readSettingsSource(target, fs);
    if (found.is === "unreadable") throw unreadable(file, found.why);
    const bytes = found.is === "read" ? found.bytes : undefined;
    const before = bytes === undefined ? "{}\n" : decodeUtf8(bytes);
    if (before === undefined) throw unreadable(file, "it is not UTF-8. It was left as it is");
    const base = prepare !== undefined && valueIn(before).is === "read" ? prepare(before) : before;
    // The editor refuses a text that cannot be read, with the position.
    const read = valueIn(base);
    const text = editText(base, change(read.is === "read" ? read.value : undefined, before), file);
    const after = Buffer.from(text);
    if (after.length > maxSettingsBytes) throw tooLarge(file, after.length);
    const changed = text !== before;
    const created = bytes === undefined && changed;
    const result: EditedFile = { changed, created, before, after: text, contentHash: sha256(after) };
    verify?.(result);
    return { bytes, result };
  }
}

function unreadable(file: string, why: string): Problem {
  return new Problem("settings/unreadable", `${file} cannot be read: ${why}.`, { about: { file } });
}

async function makeFolder(folder: string, fs: Fs, mode: number): Promise<void> {
  if ((await ignoringErrors(["ENOENT"], fs.realpath(folder))) !== undefined) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), fs, mode);
  await ignoringErrors(["EEXIST"], fs.mkdir(folder, mode));
}

/** Turns a file or lock error into a `Problem`, and names the file in every `Problem`; other errors are rethrown. */
function asProblem(cause: unknown, file: string): unknown {
  if (cause instanceof Problem && cause.code === "file/locked") return busy(file, cause.message, cause);
  if (cause instanceof Problem && !cause.message.includes(file))
    return new Problem(cause.code, `In ${file}: ${cause.message}`, { about: { ...cause.about, file }, cause });
  if (cause instanceof Problem || !(cause instanceof Error) || errorCode(cause) === undefined) return cause;
  const why = systemErrorMessage(cause) ?? cause.message;
  return new Problem("settings/not-written", `${file} cannot be edited: ${why}`, { about: { file }, cause });
}

/** Such a file could not be read or edited again. */
function tooLarge(file: string, bytes: number): Problem {
  const message = `${file} would have ${bytes} bytes; at most ${maxSettingsBytes} are read. It was left as it is.`;
  return new Problem("settings/not-editable", message, { about: { file } });
}

function busy(file: string, why: string, cause?: unknown): Problem {
  const message = `${file} was not edited: ${why}. Nothing was overwritten; try again.`;
  return new Problem("settings/busy", message, { about: { file }, cause });
}
