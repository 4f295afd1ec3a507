import { readFileSync } from "node:fs";
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
    : Uint8Array.from(readFileSync(new URL("../../../dist/usage/scan-kernel.wasm", import.meta.url)));
}
