import { readFileSync } from "node:fs";
import { timestampMs } from "../calls/read-usage.ts";
import { hashId, type IdHash, type NameTable, noParts, rank, type UsageRecord } from "../calls/usage-record.ts";
import { addAncestor, type FileFacts } from "./file-facts.ts";
import * as layout from "./kernel/layout.ts";
import { chunkStart, roomBehind } from "./kernel/layout.ts";

/** Set by the build, which joins modules: the kernel as base64. */
declare const HOOKLINE_SCAN_KERNEL: string | undefined;

/**
 * The kernel and its memory: results at the front, then the bytes of the file that is being read. The kernel walks over JSON at
 * memory speed from the first line on; JavaScript would spend most of a run on being compiled and on single bytes.
 */
export interface ScanMemory {
  /** All of it, and views of the results. Contract: read them again after `roomFor`, which may replace them. */
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly counts: Float64Array;
  /** One past where file bytes may end. They begin at `chunkStart`. */
  readonly end: number;
  /** Makes room for `count` file bytes; what is there stays. */
  roomFor(count: number): void;
  /** Reads lines up to `filled` until one is worth a look; returns an event of kernel/layout.ts. */
  run(filled: number): number;
}

/** The part of WebAssembly that is used here; the compiler's library for Node does not have it. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

/** What the kernel exports. */
interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly run: (filled: number) => number;
}

const pageBytes = 64 * 1024;

export function openMemory(): ScanMemory {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
  const { memory, run } = new Instance(new Module(kernelBytes())).exports as Kernel;
  let bytes = Buffer.from(memory.buffer);
  let words = new Uint32Array(memory.buffer);
  let counts = new Float64Array(memory.buffer);
  return {
    get bytes() {
      return bytes;
    },
    get words() {
      return words;
    },
    get counts() {
      return counts;
    },
    get end() {
      return bytes.length - roomBehind;
    },
    roomFor(count) {
      const missing = chunkStart + count + roomBehind - bytes.length;
      if (missing <= 0) return;
      memory.grow(Math.ceil(missing / pageBytes));
      bytes = Buffer.from(memory.buffer);
      words = new Uint32Array(memory.buffer);
      counts = new Float64Array(memory.buffer);
    },
    run,
  };
}

export function kernelBytes(): Uint8Array<ArrayBuffer> {
  return typeof HOOKLINE_SCAN_KERNEL === "string"
    ? Uint8Array.from(Buffer.from(HOOKLINE_SCAN_KERNEL, "base64"))
    : Uint8Array.from(readFileSync(new URL("../../../.build/scan-kernel.wasm", import.meta.url)));
}

/** Turns what the kernel found in an answer into a record. */
export interface AnswerReader {
  /** What tells the answer from others: its ids, marks and counts. */
  read(): void;
  /** Its names and time, and what it says about its file. Most answers are repeats of others and do not need it. */
  readRest(facts: FileFacts): void;
}

export function answerReader(memory: ScanMemory, names: NameTable, record: UsageRecord): AnswerReader {
  return {
    read() {
      readIds();
      readMarks();
      readCounts();
    },
    readRest(facts) {
      record.model = names.numberOf(plainText(layout.fieldModel));
      record.agent = names.numberOf(plainText(layout.fieldAgent));
      record.at = timestampMs(plainText(layout.fieldTime));
      readFacts(facts);
    },
  };

  /** The key of an answer is its id, or its request when it has no id. */
  function readIds(): void {
    readId(layout.fieldRequest, record.request);
    if (isEmpty(layout.fieldId)) {
      record.key.a = record.request.a;
      record.key.b = record.request.b;
    } else readId(layout.fieldId, record.key);
  }

  function readId(field: number, into: IdHash): void {
    if (isEmpty(field)) into.a = into.b = 0;
    else hashId(memory.bytes, memory.words[field * 2] as number, memory.words[field * 2 + 1] as number, into);
  }

  function isEmpty(field: number): boolean {
    return memory.words[field * 2] === memory.words[field * 2 + 1];
  }

  function readMarks(): void {
    const marks = memory.words[layout.wordMarks] as number;
    record.rank = (marks & layout.markSidechain) === 0 ? rank.main : rank.sidechain;
    record.stopped = (marks & layout.markStopped) !== 0;
    record.fast = (marks & layout.markFast) !== 0;
    record.batch = (marks & layout.markBatch) !== 0;
    record.us = (marks & layout.markUs) !== 0;
    record.written = Number.NaN;
    record.apiError = false;
    record.odd = 0;
    record.parts = noParts;
  }

  function readCounts(): void {
    const { counts } = memory;
    record.input = counts[layout.fieldInput] as number;
    record.output = counts[layout.fieldOutput] as number;
    record.cacheRead = counts[layout.fieldCacheRead] as number;
    record.thinking = counts[layout.fieldThinking] as number;
    record.webSearches = counts[layout.fieldSearches] as number;
    const written5m = counts[layout.fieldWritten5m] as number;
    record.cacheWrite1h = counts[layout.fieldWritten1h] as number;
    record.assumed5m = Math.max(0, (counts[layout.fieldWritten] as number) - written5m - record.cacheWrite1h);
    record.cacheWrite5m = written5m + record.assumed5m;
    record.prompt = record.input + record.cacheRead + record.cacheWrite5m + record.cacheWrite1h;
  }

  function readFacts(facts: FileFacts): void {
    if (hasText(layout.fieldParentSession)) addAncestor(facts, decodedText(layout.fieldParentSession));
    if (hasText(layout.fieldForkSource)) addAncestor(facts, decodedText(layout.fieldForkSource));
    if (facts.cwd === undefined && hasText(layout.fieldCwd)) facts.cwd = decodedText(layout.fieldCwd);
    if (facts.sessionId === undefined && hasText(layout.fieldSession))
      facts.sessionId = decodedText(layout.fieldSession);
    if (facts.agentType === undefined && hasText(layout.fieldAgentType))
      facts.agentType = decodedText(layout.fieldAgentType);
  }

  function hasText(field: number): boolean {
    return memory.words[field * 2] !== 0;
  }

  function plainText(field: number): string {
    return memory.bytes.toString("latin1", memory.words[field * 2], memory.words[field * 2 + 1]);
  }

  function decodedText(field: number): string {
    const [from, to] = [memory.words[field * 2] as number, memory.words[field * 2 + 1] as number];
    return JSON.parse(memory.bytes.toString("utf8", from - 1, to + 1)) as string;
  }
}
