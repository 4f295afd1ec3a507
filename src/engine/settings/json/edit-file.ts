import { basename, dirname, join, resolve } from "node:path";
import { errorCode, type Fs, ignoringErrors, nodeFs, replaceFile, sha256, withLock } from "../../../files/internal.ts";
import { Problem } from "../../../protocol/internal.ts";
import { maxSettingsBytes, readSettingsSource } from "../settings-source.ts";
import { type Edit, editText } from "./edit-text.ts";
import { parseJsonc, plainValue } from "./jsonc.ts";

export interface EditOptions {
  readonly fs?: Fs;
  /** Of a new file; an old one keeps its own. */
  readonly mode?: number;
  /** The mode of created folders. Other users may not write there, whatever the umask. */
  readonly folderMode?: number;
  /** How often to start again when somebody else changed the file meanwhile. */
  readonly attempts?: number;
  readonly signal?: AbortSignal;
  /** Says what would become of the file: nothing is made, locked or written. */
  readonly dryRun?: boolean;
  /** Turns the text on disk into the one that is edited. Called with readable text only. */
  readonly prepare?: (text: string) => string;
  /** Looks at the result, dry run or not; what it throws leaves the file as it is. */
  readonly verify?: (edited: EditedFile) => void;
  /** Called under the lock, right before the file is replaced: the place for a backup. What it throws leaves the file as it is. */
  readonly beforeWrite?: (edited: EditedFile) => Promise<void>;
}

export interface EditedFile {
  /** False when the edits left everything as it was; then nothing was written. */
  readonly changed: boolean;
  /** Whether there was no file before. */
  readonly created: boolean;
  readonly before: string;
  readonly after: string;
  /** Edits that take this one back, byte for byte while nothing else changes, sensibly in any case. */
  readonly undo: readonly Edit[];
  /** Of the bytes now on disk, as a layer's. */
  readonly contentHash: string;
}

/** The value of a file and its text on disk, for the code that plans the edits. */
export type PlanEdits = (settings: unknown, text: string) => readonly Edit[];

/**
 * Edits a settings file in place: locked, all at once, and never over what somebody else wrote meanwhile.
 *
 * Contract: a file that cannot be read is `settings/unreadable` and keeps its bytes; one that keeps changing, or is locked, is
 * `settings/busy`. A link stays a link and what it points to is written; mode and owner stay.
 */
export async function editSettings(file: string, change: PlanEdits, options: EditOptions = {}): Promise<EditedFile> {
  const { fs = nodeFs, attempts = 5, signal } = options;
  const lock = signal === undefined ? { fs } : { fs, signal };
  try {
    if (options.dryRun) return await attempt(file, file, change, { ...options, fs }, 1);
    await makeFolder(dirname(file), fs, options.folderMode ?? 0o755);
    const target = await targetOf(file, fs);
    return await withLock(target, () => attempt(file, target, change, { ...options, fs }, attempts), lock);
  } catch (cause) {
    throw asProblem(cause, file);
  }
}

async function attempt(
  file: string,
  target: string,
  change: PlanEdits,
  options: EditOptions & { readonly fs: Fs },
  left: number,
): Promise<EditedFile> {
  const bytes = await bytesOf(file, target, options.fs);
  const before = bytes === undefined ? "{}\n" : decoded(bytes, file);
  const isReadable = "tree" in parseJsonc(before);
  const base = isReadable && options.prepare !== undefined ? options.prepare(before) : before;
  const edited = editText(base, change(settingsIn(base), before), file);
  const after = Buffer.from(edited.text);
  if (after.length > maxSettingsBytes) throw tooLarge(file, after.length);
  const result: EditedFile = {
    changed: edited.text !== before,
    created: bytes === undefined && edited.text !== before,
    before,
    after: edited.text,
    undo: edited.undo,
    contentHash: sha256(after),
  };
  options.verify?.(result);
  if (!result.changed || options.dryRun) return result;
  const { fs, mode = 0o644 } = options;
  await options.beforeWrite?.(result);
  if ((await replaceFile(target, after, { fs, mode, expect: bytes ?? null })) === "replaced") return result;
  if (left <= 1) throw busy(file, "it changes while it is being edited");
  return attempt(file, target, change, options, left - 1);
}

async function bytesOf(file: string, target: string, fs: Fs): Promise<Uint8Array | undefined> {
  const found = await readSettingsSource(target, fs);
  if (found.is === "missing") return undefined;
  if (found.is === "read") return found.bytes;
  throw new Problem("settings/unreadable", `${file} cannot be edited: ${found.why}.`, { about: { file } });
}

/** With its BOM, so that it is written back. */
function decoded(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Problem("settings/unreadable", `${file} cannot be edited: it is not UTF-8. It was left as it is.`, {
      about: { file },
      cause,
    });
  }
}

/** A text that cannot be read is refused by the editor, with its place. */
function settingsIn(text: string): unknown {
  const parsed = parseJsonc(text);
  return "tree" in parsed ? plainValue(parsed.tree) : undefined;
}

/** The target of a link, so that an edit under another name waits for the same lock. */
async function targetOf(file: string, fs: Fs): Promise<string> {
  const real = await ignoringErrors(["ENOENT"], fs.realpath(file));
  if (real !== undefined) return real;
  const link = await ignoringErrors(["ENOENT", "EINVAL"], fs.readlink(file));
  const folder = await fs.realpath(dirname(file));
  // A link may point to a file that does not exist yet.
  return link === undefined ? join(folder, basename(file)) : targetOf(resolve(folder, link), fs);
}

async function makeFolder(folder: string, fs: Fs, mode: number): Promise<void> {
  if ((await ignoringErrors(["ENOENT"], fs.realpath(folder))) !== undefined) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), fs, mode);
  await ignoringErrors(["EEXIST"], fs.mkdir(folder, mode));
}

/** Turns a file or lock error into a `Problem`; other errors are rethrown. */
function asProblem(cause: unknown, file: string): unknown {
  if (cause instanceof Problem && cause.code === "file/locked") return busy(file, cause.message, cause);
  if (cause instanceof Problem || !(cause instanceof Error) || errorCode(cause) === undefined) return cause;
  return new Problem("settings/not-written", `${file} cannot be edited: ${cause.message}`, { about: { file }, cause });
}

/** Such a file could not be read or edited again. */
function tooLarge(file: string, bytes: number): Problem {
  const message = `${file} would have ${bytes} bytes; at most ${maxSettingsBytes} are read. It was left as it is.`;
  return new Problem("settings/not-editable", message, { about: { file } });
}

function busy(file: string, why: string, cause?: unknown): Problem {
  const message = `${file} was not edited: ${why}. Nothing was overwritten; try again.`;
  return new Problem("settings/busy", message, cause === undefined ? { about: { file } } : { about: { file }, cause });
}
