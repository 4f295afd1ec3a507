import type { Rank } from "../record.ts";
import { at, lineKind, mostShapes, shapeAt, texts } from "./wasm/layout.ts";
import { scanProgram } from "./wasm/program.ts";

/**
 * The memory in which lines are read and compared, and the program that does it: results of the last comparison at its
 * front, then shapes, then the bytes of the file that is being read.
 */
export interface ScanMemory {
  /** All of it, and views of what the program found. Contract: asked for again after `roomFor`, which may replace them. */
  readonly bytes: Buffer;
  readonly found: Found;
  /** Where file bytes begin, and one past where they may end. */
  readonly start: number;
  readonly end: number;
  /** Makes sure that `count` file bytes find room; what is there stays. */
  roomFor(count: number): void;
  /** Reads lines, from `found.words[next]` to `filled`, until one is worth a look; why it stopped. */
  run(filled: number): number;
  /** The shape of the line that begins at `start`; 0 for none. */
  find(start: number): number;
  /** False when there is no room for it. */
  addShape(shape: NewShape): boolean;
  forgetShapes(): void;
}

/** Views of the results, as they lie in memory. Lists are by kind of slot; `words` are by place: see `at`, and shapes behind it. */
export interface Found {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly hashA: Uint32Array;
  readonly hashB: Uint32Array;
  readonly counts: Float64Array;
  readonly words: Int32Array;
}

export interface NewShape {
  readonly kind: keyof typeof lineKind;
  readonly rank: Rank;
  /** Each with the shared bytes before it. */
  readonly slots: readonly { readonly kind: number; readonly before: string }[];
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
/** Room behind the last byte of a file, so that the program can look ahead anywhere before it. */
const slackBytes = 128;

export function openMemory(): ScanMemory {
  const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
  const memory = new Memory({ initial: usualPages });
  const { exports } = new Instance(new Module(scanProgram()), { env: { memory } });
  let bytes = Buffer.from(memory.buffer);
  let found = foundIn(memory.buffer);
  let nextPlace: number = at.end;
  for (const [name, text] of Object.entries(texts)) bytes.write(text, at[name as keyof typeof texts], "latin1");

  return {
    get bytes() {
      return bytes;
    },
    get found() {
      return found;
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
    run: exports["run"] as (filled: number) => number,
    find: exports["find"] as (start: number) => number,
    addShape(shape) {
      const counter = shape.kind === "progress" ? at.progressCount : at.shapeCount;
      const count = found.words[counter / 4] as number;
      const size = shapeAt.slots + shape.slots.reduce((all, { before }) => all + 12 + before.length, 0);
      if (count === mostShapes || nextPlace + size + slackBytes > shapesEnd) return false;
      const place = nextPlace;
      // Words are read from it, so the next one begins at a multiple of eight.
      nextPlace = (place + size + slackBytes + 7) & ~7;
      writeShape(bytes, place, shape);
      const list = shape.kind === "progress" ? at.progressShapes : at.shapes;
      // Not to the very front: a shape moves there by fitting.
      const middle = list / 4 + (count >> 1);
      found.words.copyWithin(middle + 1, middle, list / 4 + count);
      found.words[middle] = place;
      found.words[counter / 4] = count + 1;
      return true;
    },
    forgetShapes() {
      nextPlace = at.end;
      for (const word of [at.shapeCount, at.progressCount, at.previous, at.lastShape]) found.words[word / 4] = 0;
    },
  };
}

function writeShape(bytes: Buffer, place: number, { kind, rank, slots }: NewShape): void {
  const has = slots.reduce((bits, one) => bits | (1 << one.kind), 0);
  bytes.writeInt32LE(lineKind[kind], place + shapeAt.kind);
  bytes.writeInt32LE(has, place + shapeAt.has);
  bytes.writeInt32LE(0, place + shapeAt.next);
  bytes.writeInt32LE(rank, place + shapeAt.rank);
  let words = place + shapeAt.slots;
  let shared = words + slots.length * 12;
  for (const one of slots) {
    bytes.writeInt32LE(shared, words);
    bytes.writeInt32LE(one.before.length, words + 4);
    bytes.writeInt32LE(one.kind, words + 8);
    bytes.write(one.before, shared, "latin1");
    shared += one.before.length;
    words += 12;
  }
}

function foundIn(buffer: ArrayBuffer): Found {
  return {
    from: new Int32Array(buffer, at.from, 32),
    to: new Int32Array(buffer, at.to, 32),
    hashA: new Uint32Array(buffer, at.hashA, 32),
    hashB: new Uint32Array(buffer, at.hashB, 32),
    counts: new Float64Array(buffer, at.counts, 32),
    words: new Int32Array(buffer, 0, shapesEnd / 4),
  };
}
