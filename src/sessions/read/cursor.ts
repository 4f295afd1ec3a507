import { sha256 } from "../../files/internal.ts";
import type { ByteSource } from "./byte-source.ts";

/**
 * Where a reader stopped: always one past a newline. `head` names the bytes the file began with, so that a file which
 * was replaced under the same name and inode is noticed.
 */
export interface Cursor {
  readonly dev: number;
  readonly ino: number;
  readonly offset: number;
  /** `<count>-<hash>` over the first bytes of the file: 1 KiB of them, or as many as the cursor has passed. */
  readonly head: string;
  /** Lines that end before `offset`, blank ones included. */
  readonly lines: number;
}

const headBytes = 1024;

/** The head of a file that has been read up to `offset`. */
export async function headOf(source: ByteSource, offset: number): Promise<string> {
  const bytes = Buffer.alloc(Math.min(headBytes, offset));
  const count = await source.read(bytes, 0);
  return `${count}-${sha256(bytes.subarray(0, count)).slice(0, 16)}`;
}

/** True when the bytes before the cursor are still those that were read: same file, not shorter, same head. */
export async function stillHolds(source: ByteSource, cursor: Cursor): Promise<boolean> {
  if (source.dev !== cursor.dev || source.ino !== cursor.ino) return false;
  if (cursor.offset > 0 && (await source.read(Buffer.alloc(1), cursor.offset - 1)) === 0) return false;
  return (await headOf(source, cursor.offset)) === cursor.head;
}
