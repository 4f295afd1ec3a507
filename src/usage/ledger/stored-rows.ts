import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openFolder, replaceFile, sha256 } from "../../files/internal.ts";
import { type CallTable, rowFlag, wordColumn } from "../calls/call-table.ts";
import { type NameTable, openNameTable, type RecordPart } from "../calls/usage-record.ts";
import type { StoredFile } from "./call-store.ts";
import { rulesVersion } from "./index-manifest.ts";

/**
 * What was read of a transcript that is still being written, in a plain file of its own: so that a status line or a hook
 * reads only what is new, and never loads a database.
 */
export function readLive(folder: string, path: string): StoredFile | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(liveName(folder, path));
  } catch {
    // Nothing was kept: the file is read from its beginning.
    return undefined;
  }
  const body = bytes.subarray(0, -32);
  if (!bytes.subarray(-32).equals(createHash("sha256").update(body).digest())) return undefined;
  const length = body.readUInt32LE(0);
  const known = JSON.parse(body.toString("utf8", 4, 4 + length)) as Omit<StoredFile, "calls">;
  return known.path === path ? { ...known, calls: body.subarray(4 + length) } : undefined;
}

export async function writeLive(folder: string, { calls, ...known }: StoredFile): Promise<void> {
  await openFolder(folder);
  const text = Buffer.from(JSON.stringify(known));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const body = Buffer.concat([length, text, calls]);
  const bytes = Buffer.concat([body, createHash("sha256").update(body).digest()]);
  await replaceFile(liveName(folder, known.path), bytes);
}

/** Removes what was kept of transcripts that were not read for a while. */
export function pruneLive(folder: string, now: number): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No status line was used.
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > keptMs) rmSync(path, { force: true });
  }
}

const keptMs = 2 * 86_400_000;

/** The version is part of the name: what was read by other rules is not found. */
function liveName(folder: string, path: string): string {
  return join(folder, sha256(`${rulesVersion} ${path}`).slice(0, 24));
}

/** The rows of one file as they are in the table, so that they can be taken back in one go. */
export function rawRows(table: CallTable, from: number, to: number, names: NameTable): Buffer {
  const own = openNameTable();
  const words = table.words.slice(from * wordColumn.size, to * wordColumn.size);
  const parts: [number, readonly RecordPart[]][] = [];
  for (let row = from; row < to; row++) {
    const w = (row - from) * wordColumn.size;
    words[w + wordColumn.model] = own.numberOf(names.texts[words[w + wordColumn.model] as number] ?? "");
    words[w + wordColumn.agent] = own.numberOf(names.texts[words[w + wordColumn.agent] as number] ?? "");
    if (((words[w + wordColumn.marks] as number) & rowFlag.hasParts) !== 0)
      parts.push([row - from, table.partsOf(row)]);
  }
  const head: Head = { names: own.texts, parts };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, Buffer.from(words.buffer)]);
}

/** Puts them back, as rows of file `file`. Contract: the bytes are what `rawRows` gave; a checksum saw to that. */
export function addRawRows(bytes: Buffer, file: number, table: CallTable, names: NameTable): void {
  const textEnd = 4 + bytes.readUInt32LE(0);
  const { names: own, parts } = JSON.parse(bytes.toString("utf8", 4, textEnd)) as Head;
  // A copy, because words must be aligned.
  const words = new Uint32Array(new Uint8Array(bytes.subarray(textEnd)).buffer);
  const numbers = own.map((text) => names.numberOf(text));
  for (let w = 0; w < words.length; w += wordColumn.size) {
    words[w + wordColumn.file] = file;
    words[w + wordColumn.model] = numbers[words[w + wordColumn.model] as number] ?? 0;
    words[w + wordColumn.agent] = numbers[words[w + wordColumn.agent] as number] ?? 0;
  }
  const first = table.count;
  table.addRows(words);
  for (const [row, asides] of parts) table.setParts(first + row, asides);
}

interface Head {
  readonly names: readonly string[];
  readonly parts: readonly [number, readonly RecordPart[]][];
}
