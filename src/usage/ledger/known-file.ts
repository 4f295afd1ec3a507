import { closeSync, openSync, readSync } from "node:fs";
import { defined } from "../../protocol/internal.ts";
import type { TranscriptFile } from "../../sessions/internal.ts";
import { type Hash, hashBytes } from "../calls/usage-record.ts";
import type { Progress } from "../scan/file-facts.ts";
import { type LedgerFile, ledgerFile } from "./ledger.ts";

/** A transcript as it was when it was last read, and how far. */
export interface KnownFile extends FilePlace {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Hashes of its first bytes and of those before `progress.offset`, so that another file under its name is noticed. */
  readonly head: string;
  readonly tail: string;
  /** Up to the last newline: what stays, whatever is written next. */
  readonly progress: Progress;
  /** With a last line that has no newline yet; absent when there is none. */
  readonly shown?: Progress;
  /** How far its calls are in the database. */
  readonly stored: number;
}

/** What it takes to tell whether reading can go on. */
export type ReadPart = Pick<KnownFile, "dev" | "ino" | "size" | "mtimeMs" | "head" | "tail" | "progress">;

/** What a file's path says about it. */
export interface FilePlace {
  readonly path: string;
  readonly root: string;
  readonly project: string;
  readonly session?: string;
  readonly agent?: string;
  readonly meta?: string;
}

export function placeOf({ path, root, project, session, agent, meta }: TranscriptFile): FilePlace {
  return { path, root: root.path, project, ...defined({ session, agent, meta }) };
}

/** A known file as reports see it. */
export function ledgerFileOf(known: KnownFile): LedgerFile {
  return ledgerFile(known, known.size, known.shown ?? known.progress);
}

/** True when the file on disk is byte for byte the one that was read, as far as its stat tells. */
export function isUnchanged(known: KnownFile, now: TranscriptFile): boolean {
  return known.size === now.size && known.mtimeMs === now.mtimeMs && known.ino === now.ino && known.dev === now.dev;
}

/** True when the file has only grown since: reading can go on where it stopped. */
export function hasGrown(known: ReadPart, now: TranscriptFile): boolean {
  if (now.path.endsWith(".gz")) return false;
  if (known.ino !== now.ino || known.dev !== now.dev || now.size < known.progress.offset) return false;
  // Same size at another time: rewritten in place, for all we know.
  if (now.size === known.size && now.mtimeMs !== known.mtimeMs) return false;
  const ends = endsOf(now.path, known.progress.offset);
  return ends !== undefined && ends.head === known.head && ends.tail === known.tail;
}

const endBytes = 1024;

/** The hashes of a file that was read up to `offset`; undefined when it cannot be read. */
export function endsOf(path: string, offset: number): { readonly head: string; readonly tail: string } | undefined {
  try {
    const descriptor = openSync(path, "r");
    try {
      const length = Math.min(endBytes, offset);
      return { head: hashAt(descriptor, 0, length), tail: hashAt(descriptor, offset - length, length) };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Gone or not ours to read: then it is read from its beginning, or not at all.
    return undefined;
  }
}

function hashAt(descriptor: number, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  const count = readSync(descriptor, bytes, 0, length, offset);
  const hash: Hash = { a: 0, b: 0 };
  hashBytes(bytes, 0, count, hash);
  return `${hash.a.toString(16)}.${hash.b.toString(16)}`;
}
