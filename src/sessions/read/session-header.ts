import { stat } from "node:fs/promises";
import { closeAfter } from "../../files/internal.ts";
import { defined, lazy } from "../../protocol/internal.ts";
import { isTranscriptRecord } from "../formats/claude-code/build-entry.ts";
import { toEntry } from "../formats/claude-code/to-entry.ts";
import type { Entry } from "../model/entry.ts";
import { isGraphEntry } from "../model/entry-graph.ts";
import { recordedTitle, textsIn } from "../model/entry-text.ts";
import { openBytes, openReadable } from "./byte-source.ts";
import { recordSource, recordsOf } from "./json-records.ts";

/**
 * What the first and last 64 KiB of a transcript show. Fields that they do not show are absent. Of a prompt that the store keeps in
 * its own file, only the first 16 KiB are included.
 */
export interface SessionHeader {
  readonly file: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly version?: string;
  readonly branch?: string;
  readonly firstPrompt?: string;
  readonly lastPrompt?: string;
  /** The title set by the user, else by a model, else a summary, else the first prompt. */
  readonly title?: string;
  readonly firstAt?: string;
  readonly lastAt?: string;
  /** The newest entry of the conversation. */
  readonly leaf?: string;
}

const endBytes = 64 * 1024;

export async function readHeader(file: string): Promise<SessionHeader> {
  const { front, back, sizeBytes, modifiedMs } = file.endsWith(".gz") ? await endsOfArchived(file) : await endsOf(file);
  const first = linesIn(file, front, true);
  const last = back === undefined ? first : linesIn(file, back, false);
  const opening = openingFacts(first);
  const titles = titleEntries(back === undefined ? first : [...first, ...last]);
  const title = recordedTitle(titles) ?? opening.firstPrompt;
  return { file, sizeBytes, modifiedMs, ...opening, ...closingFacts(last), ...defined({ title }) };
}

interface Ends {
  readonly front: Buffer;
  /** Absent when the front is the whole file. */
  readonly back: Buffer | undefined;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

async function endsOf(file: string): Promise<Ends> {
  const handle = await openReadable(file);
  return closeAfter(handle, async () => {
    const { size, mtimeMs } = await handle.stat();
    const part = async (from: number, length: number) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, from);
      return buffer.subarray(0, bytesRead);
    };
    const isSmall = size <= 2 * endBytes;
    const front = await part(0, isSmall ? size : endBytes);
    const back = isSmall ? undefined : await part(size - endBytes, endBytes);
    return { front, back, sizeBytes: size, modifiedMs: mtimeMs };
  });
}

/** A compressed file cannot be read from its end: all of it is read, and only its ends are kept. */
async function endsOfArchived(file: string): Promise<Ends> {
  const { mtimeMs } = await stat(file);
  const source = await openBytes(file);
  return closeAfter(source, async () => {
    const chunk = Buffer.allocUnsafe(2 * endBytes);
    let sizeBytes = await source.read(chunk, 0);
    const front = Buffer.from(chunk.subarray(0, sizeBytes));
    let back: Buffer | undefined;
    for (let count = sizeBytes; count === chunk.length; sizeBytes += count) {
      count = await source.read(chunk, sizeBytes);
      back = Buffer.concat([back ?? front, chunk.subarray(0, count)]).subarray(-endBytes);
    }
    return { front, back, sizeBytes, modifiedMs: mtimeMs };
  });
}

/** A line that is parsed on first use. */
interface LazyLine {
  has(text: string): boolean;
  entry(): Entry | undefined;
}

/** The lines of one end of the file. The first line of the back is usually cut, so it is skipped. */
function linesIn(file: string, bytes: Buffer, isFront: boolean): LazyLine[] {
  const lines: LazyLine[] = [];
  let from = isFront ? 0 : bytes.indexOf(10) + 1;
  while (from < bytes.length) {
    const newline = bytes.indexOf(10, from);
    const to = newline < 0 ? bytes.length : newline;
    lines.push(lazyLine(file, bytes.subarray(from, to)));
    from = to + 1;
  }
  return lines;
}

function lazyLine(file: string, bytes: Buffer): LazyLine {
  const entry = lazy(() => {
    const line = { offset: 0, length: bytes.length, line: 0, bytes, terminated: false };
    const [record] = recordsOf(recordSource(file), line, isTranscriptRecord);
    return record?.kind === "record" ? toEntry(record, "start") : undefined;
  });
  return { has: (text) => bytes.includes(text), entry };
}

type Opening = Pick<SessionHeader, "sessionId" | "cwd" | "version" | "branch" | "firstAt" | "firstPrompt">;

function openingFacts(lines: readonly LazyLine[]): Opening {
  let facts: Opening = {};
  for (const line of lines) {
    const entry = line.entry();
    if (entry === undefined) continue;
    const { sessionId, cwd, version, gitBranch: branch, timestamp: firstAt } = entry;
    const found = defined({ sessionId, cwd, version, branch, firstAt, firstPrompt: promptText(entry) });
    facts = { ...facts, ...found, ...facts };
    if (facts.firstPrompt !== undefined && facts.cwd !== undefined && facts.version !== undefined) break;
  }
  return facts;
}

type Closing = Pick<SessionHeader, "lastAt" | "leaf" | "lastPrompt">;

function closingFacts(lines: readonly LazyLine[]): Closing {
  let facts: Closing = {};
  for (const line of lines.toReversed()) {
    const entry = line.entry();
    if (entry === undefined) continue;
    const leaf = isGraphEntry(entry) ? entry.uuid : undefined;
    const lastPrompt = (entry.kind === "last-prompt" ? entry.lastPrompt : undefined) ?? promptText(entry);
    facts = { ...facts, ...defined({ lastAt: entry.timestamp, leaf, lastPrompt }), ...facts };
    if (facts.lastAt !== undefined && facts.leaf !== undefined && facts.lastPrompt !== undefined) break;
  }
  return facts;
}

/** The lines that look like titles, the newest first. No others are parsed. */
function* titleEntries(lines: readonly LazyLine[]): Generator<Entry> {
  for (const line of lines.toReversed()) {
    const entry = line.has("-title") || line.has('"summary"') ? line.entry() : undefined;
    if (entry !== undefined) yield entry;
  }
}

function promptText(entry: Entry): string | undefined {
  if (entry.kind !== "user" || entry.role !== "prompt" || entry.source === "agent") return undefined;
  const text = textsIn(entry.content).join("\n");
  return text === "" ? undefined : text;
}
