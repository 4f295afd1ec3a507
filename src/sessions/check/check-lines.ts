import type { Entry } from "../model/entry.ts";
import type { Thread } from "../model/transcript-conversation.ts";
import { at, type Check } from "./check-finding.ts";

const reasons = {
  "not-json": "is not JSON",
  "not-object": "is JSON, but no object",
  "too-long": "is longer than any line we hold in memory",
  "nul-run": "is filled with NUL bytes",
  splice: "is what is left of a record that another one was written into",
  "cut-archive": "and what came after it are missing: the archive is cut off",
} as const;

/** Bytes that are no record, and a last line that was never finished. */
export const checkLines: Check = function* ({ model, threads, tails, live }) {
  for (const item of model.unreadable) {
    yield at(item, "bad-line", "error", `line ${item.line} ${reasons[item.why]}`);
  }
  for (const entry of joined(threads)) {
    yield at(
      entry,
      "bad-line",
      "error",
      `line ${entry.line} holds more than one record, or a record among other bytes`,
    );
  }
  for (const { file, line, offset, length } of live ? [] : tails) {
    const message = `the last ${length} bytes have no newline: a writer was stopped`;
    yield { code: "torn-tail", severity: "error", file, line, offset, message };
  }
  for (const { entries } of threads) {
    for (const entry of entries) {
      if (entry.lossy)
        yield at(
          entry,
          "lossy-text",
          "note",
          `line ${entry.line} holds bytes that are not UTF-8, or values nested too deep`,
        );
    }
  }
};

/** The first entry of each line that could be read only by taking it apart. */
function* joined(threads: readonly Thread[]): Generator<Entry> {
  const seen = new Set<string>();
  for (const { items } of threads) {
    for (const item of items) {
      const key = `${item.line} ${item.file}`;
      if (item.kind !== "unreadable" && item.recovered && !seen.has(key)) yield item;
      // What is unreadable on the same line has said so already.
      seen.add(key);
    }
  }
}
