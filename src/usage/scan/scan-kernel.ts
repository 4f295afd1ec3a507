import { readFileSync } from "node:fs";
import type { NameTable } from "../calls/usage-record.ts";
import { addAncestor, type FileFacts } from "./file-facts.ts";
import * as layout from "./kernel/layout.ts";
import { chunkStart, roomBehind } from "./kernel/layout.ts";
import { size as wordsPerRow } from "./kernel/row-words.ts";

/** Set by the build, which joins modules: the kernel as base64. */
declare const HOOKLINE_SCAN_KERNEL: string | undefined;

/**
 * The kernel and its memory: results first, then the bytes of the file that is being read, then the table of calls. The kernel reads
 * JSON and keeps the table. In JavaScript, compiling the code that runs for each line would cost more than running it.
 */
export interface ScanMemory extends Omit<Kernel, "memory"> {
  /** The whole memory, and views of the results. Contract: they are replaced when the memory grows. */
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly figures: Float64Array;
  /** One past where file bytes may end. They begin at `chunkStart`. */
  readonly end: number;
  /** Makes room for `count` file bytes; their content and the table stay. */
  roomFor(count: number): void;
}

/** See kernel/lines.ts and kernel/table.ts. */
interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  run(filled: number): number;
  findRow(): number;
  insertRow(): void;
  replaceRow(row: number): void;
  reserveRows(more: number): void;
  linkRows(first: number): void;
}

/** The part of WebAssembly that is used here; the compiler's library for Node does not have it. */
interface Wasm {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

const pageBytes = 64 * 1024;
const chunkBytes = 512 * 1024;
const firstRows = 4096;

export function openMemory(): ScanMemory {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
  const kernel = new Instance(new Module(kernelBytes())).exports as Kernel;
  let latest = viewsOf(kernel);
  const { words } = latest;
  words[layout.wordTable] = words[layout.wordRows] = chunkStart + chunkBytes + roomBehind;
  words[layout.wordRowRoom] = firstRows / 2;
  kernel.reserveRows(firstRows);

  return {
    ...kernel,
    get bytes() {
      return views().bytes;
    },
    get words() {
      return views().words;
    },
    get figures() {
      return views().figures;
    },
    get end() {
      return (this.words[layout.wordTable] as number) - roomBehind;
    },
    roomFor(count) {
      const table = views().words[layout.wordTable] as number;
      const missing = chunkStart + count + roomBehind - table;
      if (missing <= 0) return;
      const by = Math.ceil(missing / pageBytes) * pageBytes;
      kernel.memory.grow(by / pageBytes);
      const { bytes, words } = views();
      const rows = words[layout.wordRows] as number;
      const rowBytes = (words[layout.wordRowCount] as number) * wordsPerRow * 4;
      bytes.copyWithin(table + by, table, rows + rowBytes);
      words[layout.wordTable] = table + by;
      words[layout.wordRows] = rows + by;
    },
  };

  /** Views of a memory that has grown since are empty. */
  function views(): typeof latest {
    if (latest.bytes.length === 0) latest = viewsOf(kernel);
    return latest;
  }
}

function viewsOf({ memory: { buffer } }: Kernel): Pick<ScanMemory, "bytes" | "words" | "figures"> {
  return { bytes: Buffer.from(buffer), words: new Uint32Array(buffer), figures: new Float64Array(buffer) };
}

export function kernelBytes(): Uint8Array<ArrayBuffer> {
  return typeof HOOKLINE_SCAN_KERNEL === "string"
    ? Uint8Array.from(Buffer.from(HOOKLINE_SCAN_KERNEL, "base64"))
    : Uint8Array.from(readFileSync(new URL("../../../.build/scan-kernel.wasm", import.meta.url)));
}

/** Gives the kernel the number of the name that it asks for. */
export function provideName({ bytes, words }: ScanMemory, names: NameTable): void {
  const field = words[layout.wordNameField] as number;
  words[words[layout.wordNameSlot] as number] = names.numberOf(
    bytes.toString("latin1", words[field * 2], words[field * 2 + 1]),
  );
}

/** Adds what the answer that the kernel read last tells about its file. */
export function addAnswerFacts(memory: ScanMemory, facts: FileFacts): void {
  addAncestor(facts, textOf(memory, layout.fieldParentSession));
  addAncestor(facts, textOf(memory, layout.fieldForkSource));
  facts.cwd ??= textOf(memory, layout.fieldCwd);
  facts.sessionId ??= textOf(memory, layout.fieldSession);
  facts.agentType ??= textOf(memory, layout.fieldAgentType);
}

/** Tells the kernel which facts to look for. */
export function setMissingFacts({ words }: ScanMemory, facts: FileFacts): void {
  words[layout.wordMissingFacts] =
    (facts.cwd === undefined ? 1 << layout.fieldCwd : 0) |
    (facts.sessionId === undefined ? 1 << layout.fieldSession : 0) |
    (facts.agentType === undefined ? 1 << layout.fieldAgentType : 0);
  words[layout.wordIsPending] = facts.pending ? 1 : 0;
}

function textOf({ bytes, words }: ScanMemory, field: number): string | undefined {
  const from = words[field * 2] as number;
  return from === 0
    ? undefined
    : (JSON.parse(bytes.toString("utf8", from - 1, (words[field * 2 + 1] as number) + 1)) as string);
}
