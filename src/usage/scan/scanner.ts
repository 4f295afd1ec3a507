import { closeSync, openSync } from "node:fs";
import { maxLineBytes } from "../../sessions/internal.ts";
import type { CallTable } from "../calls/call-table.ts";
import { emptyRecord, type Names } from "../calls/usage-record.ts";
import { forkSource, type Progress } from "./file-facts.ts";
import { chunkStart, wordLines } from "./kernel/layout.ts";
import { fileSink } from "./line-sink.ts";
import { passThrough, readLines as readLinesInMemory } from "./read-chunks.ts";
import { addAncestor, answerReader, openMemory } from "./scan-kernel.ts";

export interface Scanner {
  /**
   * Reads a file from `progress.offset` to its end. Whole lines move `progress` on; a last line without newline that
   * parses is counted too, but only once `beforeTail` has had its look at what is there to stay.
   */
  scan(file: ScannedFile, progress: Progress, beforeTail?: () => void): Promise<void>;
}

export interface ScannedFile {
  readonly path: string;
  /** Its number in the table of calls. */
  readonly number: number;
  readonly agent?: string | undefined;
  /** It is an archive, and what was archived is read too: then a missing end is no loss. */
  readonly isCopy?: boolean | undefined;
}

export interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes read since the last call, every few megabytes. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reading stops once this much of a file was read; what is left is read the next time. */
  readonly maxBytes?: number | undefined;
}

const chunksPerBreath = 32;

/** One scanner for many files: they share its memory. */
export function openScanner(table: CallTable, names: Names, options: ScanOptions = {}): Scanner {
  const record = emptyRecord();
  const memory = openMemory();
  const desk = { memory, answers: answerReader(memory, names, record), record, names, table };

  return {
    scan(file, progress, beforeTail) {
      if (progress.offset === 0 && file.agent === undefined) addAncestor(progress.told, forkSource(file.path));
      return file.path.endsWith(".gz")
        ? scanArchived(file, progress, beforeTail)
        : scanPlain(file, progress, beforeTail);
    },
  };

  async function scanPlain(...[file, progress, beforeTail]: Parameters<Scanner["scan"]>): Promise<void> {
    const descriptor = openSync(file.path, "r");
    try {
      const sink = fileSink(desk, { ...file, agent: file.agent, descriptor, progress, beforeTail: stay });
      const pass = passThrough(memory, descriptor, progress.offset, maxLineBytes, sink);
      const limit = progress.offset + (options.maxBytes ?? Infinity);
      let isDone = false;
      for (let chunks = 1; pass.next(); chunks++) {
        if (pass.offset > limit) break;
        if (chunks % chunksPerBreath !== 0) continue;
        moveTo(pass.offset);
        // Others in this process get a turn, and an abort is heard.
        await new Promise(setImmediate);
        options.signal?.throwIfAborted();
      }
      stay(pass.offset);

      function stay(offset: number): void {
        if (isDone) return;
        isDone = true;
        moveTo(offset);
        beforeTail?.();
      }

      function moveTo(offset: number): void {
        options.onBytes?.(offset - progress.offset);
        progress.offset = offset;
        progress.lines = memory.words[wordLines] as number;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  /** An archived file is read through its compression, from its beginning each time. */
  async function scanArchived(...[file, progress, beforeTail]: Parameters<Scanner["scan"]>): Promise<void> {
    // Loaded on demand: most people have no archives.
    const { cutArchive, readLines } = await import("../../sessions/internal.ts");
    const lines = readLines(file.path, { tail: "give", signal: options.signal });
    let isDone = false;
    const stay = () => {
      if (isDone) return;
      isDone = true;
      options.onBytes?.(lines.cursor.offset);
      progress.offset = lines.cursor.offset;
      progress.lines = lines.cursor.lines;
      beforeTail?.();
    };
    const sink = fileSink(desk, { ...file, agent: file.agent, descriptor: undefined, progress, beforeTail: stay });
    for await (const batch of lines) {
      for (const { bytes, length, offset, terminated } of batch) {
        if (!terminated) stay();
        if (bytes === undefined) sink.tooLong(offset, length);
        else {
          memory.roomFor(length + 1);
          bytes.copy(memory.bytes, chunkStart);
          memory.bytes[chunkStart + length] = 10;
          readLinesInMemory(memory, chunkStart, chunkStart + length + 1, offset - chunkStart, sink, terminated);
        }
      }
    }
    if (lines.isCut) throw cutArchive(file.path);
    stay();
  }
}
