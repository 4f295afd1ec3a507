import { fitProgram, results } from "./wasm/fit-program.ts";

/**
 * The memory in which lines are read and compared: results of the last comparison at its front, then shapes, then the
 * bytes of the file that is being read.
 */
export interface ScanMemory {
  /** All of it. Contract: asked for again after `roomFor`, which may replace it. */
  readonly bytes: Buffer;
  /** Where file bytes begin, and one past where they may end. */
  readonly start: number;
  readonly end: number;
  /** Makes sure that `count` file bytes find room; what is there stays. */
  roomFor(count: number): void;
  /** Compares the line at `start` with a shape; where the shape ends in it, or -1. */
  fit(shape: number, start: number): number;
  /** Forgets the long value that the last comparison passed over: a new line begins. */
  beginLine(): void;
  /**
   * What the last comparison found, by kind of slot: where a text lies, without its quotes; the two words of its hash; the
   * value of a count. Contract: asked for again after `roomFor`.
   */
  readonly found: Found;
  /** Room for a shape; undefined when there is not enough left. */
  place(size: number): number | undefined;
  /** True when a few more shapes may not find room. */
  readonly isCrowded: boolean;
  /** Gives back all room for shapes. */
  clear(): void;
}

/** Views of the results, as they lie in memory. */
export interface Found {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly hashA: Uint32Array;
  readonly hashB: Uint32Array;
  readonly counts: Float64Array;
  /** 1 when the stop reason was a text. */
  readonly stopped: Int32Array;
  /** Where the last long value lies that was passed over. */
  readonly passedAt: Int32Array;
}

function foundIn(buffer: ArrayBuffer): Found {
  return {
    from: new Int32Array(buffer, results.from, 32),
    to: new Int32Array(buffer, results.to, 32),
    hashA: new Uint32Array(buffer, results.hashA, 32),
    hashB: new Uint32Array(buffer, results.hashB, 32),
    counts: new Float64Array(buffer, results.counts, 32),
    stopped: new Int32Array(buffer, results.stopped, 1),
    passedAt: new Int32Array(buffer, results.passedAt, 1),
  };
}

/** The few words of WebAssembly that are spoken here; the compiler's library for Node does not have them. */
interface Wasm {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

const pageBytes = 64 * 1024;
const shapesEnd = 4 * pageBytes;
const usualPages = 9;
/** Room behind the last byte of a file, so that sixteen bytes can be read anywhere before it. */
const slackBytes = 32;

export function openMemory(): ScanMemory {
  const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
  const memory = new Memory({ initial: usualPages });
  const program = new Instance(new Module(fitProgram()), { env: { memory } });
  const fit = program.exports["fit"] as (shape: number, start: number) => number;
  let bytes = Buffer.from(memory.buffer);
  let found = foundIn(memory.buffer);
  let nextPlace: number = results.size;

  return {
    get bytes() {
      return bytes;
    },
    start: shapesEnd,
    get end() {
      return bytes.length - slackBytes;
    },
    roomFor(count) {
      const missing = shapesEnd + count + slackBytes - bytes.length;
      if (missing <= 0) return;
      memory.grow(Math.ceil(Math.max(missing, bytes.length) / pageBytes));
      bytes = Buffer.from(memory.buffer);
      found = foundIn(memory.buffer);
    },
    fit,
    beginLine() {
      found.passedAt[0] = -1;
    },
    get found() {
      return found;
    },
    place(size) {
      const at = nextPlace;
      // Words are read from it, so it begins at a multiple of eight.
      const after = (at + size + slackBytes + 7) & ~7;
      if (after > shapesEnd) return undefined;
      nextPlace = after;
      return at;
    },
    get isCrowded() {
      return shapesEnd - nextPlace < 16 * 1024;
    },
    clear() {
      nextPlace = results.size;
    },
  };
}
