import { beforeEach, expect, test, vi } from "vitest";
import { capture, captureLines, type LineDecision } from "./output-capture.ts";

beforeEach(() => void vi.useFakeTimers());

function watch(fate: (line: string, whole: boolean) => LineDecision = () => "keep", capBytes = 1_000) {
  const seen: [string, boolean][] = [];
  const kept = capture(capBytes);
  const lines = captureLines(kept, (line, whole) => {
    seen.push([line, whole]);
    return fate(line, whole);
  });
  return { seen, kept, lines, add: (text: string) => lines.add(Buffer.from(text)) };
}

test("lines are shown as they arrive, however they are cut into chunks", () => {
  const { seen, kept, add, lines } = watch();
  for (const piece of ["on", "e\ntwo\nth", "ré", "e\n", "\n", "last"]) add(piece);
  lines.stop();
  expect(seen).toEqual([
    ["one", true],
    ["two", true],
    ["thrée", true],
    ["", true],
  ]);
  expect(kept.output()).toEqual({ text: "one\ntwo\nthrée\n\nlast", droppedBytes: 0 });
});

test("a character cut between chunks is whole in its line", () => {
  const { seen, lines } = watch();
  const bytes = Buffer.from("€\n");
  for (const byte of bytes) lines.add(Buffer.from([byte]));
  expect(seen).toEqual([["€", true]]);
});

test("a taken line is not part of the output", () => {
  const { kept, add } = watch((line) => (line.startsWith("?") ? "take" : "keep"));
  for (const piece of ["a\n?b", "c\nd\n?e\n", "f\n"]) add(piece);
  expect(kept.output()).toEqual({ text: "a\nd\nf\n", droppedBytes: 0 });
});

test("taken lines do not use up the cap", () => {
  const { seen, kept, add } = watch((line) => (line === "answer" ? "keep" : "take"), 12);
  for (let count = 0; count < 100; count++) add("question\n");
  add("answer\n");
  expect(seen.length).toBe(101);
  expect(kept.output()).toEqual({ text: "answer\n", droppedBytes: 0 });
});

test("after keep-all nothing is shown and everything is kept", () => {
  const { seen, kept, add } = watch(() => "keep-all");
  for (const piece of ["one\ntwo\n", "three\n"]) add(piece);
  expect(seen).toEqual([["one", true]]);
  expect(kept.text()).toBe("one\ntwo\nthree\n");
});

test("a line that does not fit under the cap is never shown, nor anything after it", () => {
  const { seen, kept, add } = watch(() => "keep", 10);
  for (const piece of ["first\n", "123456789", "\ndeny\n"]) add(piece);
  expect(seen).toEqual([["first", true]]);
  expect(kept.output()).toEqual({ text: "first\n1234", droppedBytes: 11 });
});

test("a line without a break is shown once it rests", () => {
  const { seen, kept, add, lines } = watch();
  add('{"async":');
  vi.advanceTimersByTime(49);
  add("true}");
  vi.advanceTimersByTime(49);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual([['{"async":true}', false]]);
  add("\nrest\n");
  lines.stop();
  expect(seen).toEqual([
    ['{"async":true}', false],
    ['{"async":true}', true],
    ["rest", true],
  ]);
  expect(kept.text()).toBe('{"async":true}\nrest\n');
});

test("an unfinished line that was taken is removed from stdout", () => {
  const { kept, add, lines } = watch((line) => (line === "x" ? "take" : "keep"));
  add("a\nx");
  vi.advanceTimersByTime(50);
  add("b\n");
  lines.stop();
  expect(kept.text()).toBe("a\nb\n");
});

test("nothing is shown after the end", () => {
  const { seen, add, lines } = watch();
  add("x");
  lines.stop();
  vi.advanceTimersByTime(50);
  expect(seen).toEqual([]);
});
