import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { progressLine } from "./terminal.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function lineOn(terminal: boolean) {
  const written: string[] = [];
  const err = async (text: string) => void written.push(text);
  const line = progressLine("searching", {
    err,
    terminal: { out: terminal, err: terminal, colour: false, columns: 80 },
  });
  return { line, written };
}

test("a progress line appears after 400 ms, at most every 100 ms, and is removed at the end", async () => {
  const { line, written } = lineOn(true);
  line.show("1 file");
  vi.advanceTimersByTime(400);
  line.show("2 files");
  line.show("3 files");
  vi.advanceTimersByTime(100);
  line.show({ bytes: 1_000_000, of: 4_000_000 });
  await line.end();
  expect(written).toEqual(["\r\u001b[Ksearching 2 files", "\r\u001b[Ksearching 25 % of 4.0 MB", "\r\u001b[K"]);
});

test("without a terminal no progress is printed", async () => {
  const { line, written } = lineOn(false);
  vi.advanceTimersByTime(1_000);
  line.show("2 files");
  await line.end();
  expect(written).toEqual([]);
});
