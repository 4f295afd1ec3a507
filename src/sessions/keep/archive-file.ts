import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  closeAfter,
  ensureFolder,
  type Fs,
  ignoringErrors,
  openFlags,
  readPrivate,
  sha256,
  writeWholeFile,
} from "../../files/internal.ts";
import { isObject, parseObject } from "../../protocol/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { openReadable, readFully } from "../read/byte-source.ts";
import { openGzip } from "../read/gzip-source.ts";

/** A stretch of this many bytes is compressed at a time, so that memory stays flat. */
const memberBytes = 8 * 1024 * 1024;

/**
 * Adds what is new in `source` to its compressed copy, as further gzip members; the same object comes back when nothing is.
 * A transcript is taken up to its last newline. A source that is not the one we know any more begins a new copy, and the
 * old one is kept next to it.
 */
export async function archiveFile(
  source: string,
  target: string,
  known: ArchivedFile | undefined,
  fs: Fs,
): Promise<ArchivedFile> {
  const packed = await ignoringErrors(["ENOENT"], fs.lstat(target));
  // A copy that is shorter than the manifest says cannot be extended.
  const before = packed !== undefined && packed.size >= (known?.packedBytes ?? 0) ? known : undefined;
  const file = await openReadable(source);
  return closeAfter(file, async () => {
    const { size, mtimeMs } = await file.stat();
    if (before !== undefined && before.sizeBytes === size && before.modifiedMs === mtimeMs) return before;
    const end = source.endsWith(".jsonl") ? await lastNewline(file, size) : size;
    const isKnown = before !== undefined && before.sizeBytes <= end && (await beginsWith(file, before));
    if (isKnown && before.sizeBytes === end) return before;
    const grown = isKnown && source.endsWith(".jsonl") ? before : undefined;
    if (before !== undefined && grown === undefined) await keepOld(target, markOf(before), fs);
    // The manifest does not know this file: a killed run began it, or it is the only copy of something else.
    if (before === undefined && packed !== undefined && packed.size > 0 && !(await isBeginningOf(target, file)))
      await keepOld(target, sha256(Buffer.from(`${packed.size} ${packed.mtimeMs}`)).slice(0, 12), fs);
    const start = grown ?? { sizeBytes: 0, packedBytes: 0, members: [] };
    return { ...(await append(file, start, end)), modifiedMs: mtimeMs };
  });

  async function append(from: FileHandle, start: ArchivedBytes, end: number): Promise<ArchivedBytes> {
    await ensureFolder(dirname(target), fs);
    const out = await fs.open(target, openFlags.appending, 0o600);
    const members = [...start.members];
    let { sizeBytes, packedBytes } = start;
    await closeAfter(out, async () => {
      // What a killed run left behind the last accounted byte.
      await out.truncate(packedBytes);
      while (sizeBytes < end || members.length === 0) {
        const plain = await read(from, sizeBytes, Math.min(end - sizeBytes, memberBytes));
        const packed = await promisify(gzip)(plain);
        await writeWholeFile(out, packed);
        members.push({ sizeBytes: plain.length, packedBytes: packed.length, sha256: sha256(plain) });
        sizeBytes += plain.length;
        packedBytes += packed.length;
        if (plain.length === 0) break;
      }
      await out.datasync();
    });
    if (start.members.length === 0) await fs.syncFolder(dirname(target));
    return { sizeBytes, packedBytes, members };
  }
}

type ArchivedBytes = Omit<ArchivedFile, "modifiedMs">;

/** One past the last newline: a line that is under way is left for the next run. */
async function lastNewline(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - 64 * 1024);
    const at = (await read(file, from, end - from)).lastIndexOf(0x0a);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}

/** True when the file begins with everything that is archived of it. */
async function beginsWith(file: FileHandle, before: ArchivedFile): Promise<boolean> {
  let at = 0;
  for (const member of before.members) {
    if (sha256(await read(file, at, member.sizeBytes)) !== member.sha256) return false;
    at += member.sizeBytes;
  }
  return true;
}

/** Nothing that was archived goes: a copy of what is no longer at the source stays under a name of its own. */
async function keepOld(target: string, mark: string, fs: Fs): Promise<void> {
  const kept = target.replace(/\.gz$/, `.old-${mark}.gz`);
  // A killed run may have moved it already. Then the target is the beginning of that run's copy.
  if ((await ignoringErrors(["ENOENT"], fs.lstat(kept))) !== undefined) return;
  await ignoringErrors(["ENOENT"], fs.rename(target, kept));
  await fs.syncFolder(dirname(target));
}

function markOf({ members }: ArchivedFile): string {
  return sha256(Buffer.from(members.map((member) => member.sha256).join())).slice(0, 12);
}

/** True when a compressed file holds nothing that `source` does not begin with. */
async function isBeginningOf(target: string, source: FileHandle): Promise<boolean> {
  const copy = await openGzip(target);
  try {
    const bytes = Buffer.alloc(1024 * 1024);
    for (let at = 0; ; ) {
      const count = await copy.read(bytes, at);
      if (count === 0) return true;
      if (!(await read(source, at, count)).equals(bytes.subarray(0, count))) return false;
      at += count;
    }
  } catch {
    return false; // what cannot be unpacked is kept
  } finally {
    await copy.close();
  }
}

async function read(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, await readFully(file, bytes, from));
}

/** What an archive holds of one session, file by file. */
export interface ArchiveManifest {
  readonly version: 1;
  readonly session: string;
  /** Where the session was when it was archived last. */
  readonly source: string;
  readonly archivedAt: string;
  /** By path below the project folder, as it was at the source. */
  readonly files: Readonly<Record<string, ArchivedFile>>;
}

export interface ArchivedFile {
  /** Bytes of the source that are held. */
  readonly sizeBytes: number;
  /** Bytes of the compressed file that `members` describe. A killed run may leave more. */
  readonly packedBytes: number;
  readonly modifiedMs: number;
  /** One for each stretch that was added, with the hash of its plain bytes. */
  readonly members: readonly { readonly sizeBytes: number; readonly packedBytes: number; readonly sha256: string }[];
}

export function manifestPath(archive: string, { project, id }: Pick<SessionPlace, "project" | "id">): string {
  return join(archive, "projects", project, `${id}.archive.json`);
}

/** Undefined when there is none, or none that can be read: then the session is archived again, next to what exists. */
export async function readArchiveManifest(path: string, fs: Fs): Promise<ArchiveManifest | undefined> {
  // A manifest is replaced whole: one that is damaged was not written by us.
  const value = parseObject((await readPrivate(path, fs))?.toString("utf8") ?? "");
  return value?.["version"] === 1 && isObject(value["files"]) ? (value as unknown as ArchiveManifest) : undefined;
}
