import { expect, test } from "vitest";
import { capture } from "./output-capture.ts";

test("a capture keeps what fits and counts what does not", () => {
  const kept = capture(8);
  kept.add(Buffer.from("hello "));
  kept.add(Buffer.from("world"));
  kept.add(Buffer.from("!"));
  expect(kept.output()).toEqual({ text: "hello wo", droppedBytes: 4 });
});

test("an exact fit drops nothing", () => {
  const kept = capture(4);
  kept.add(Buffer.from("abcd"));
  expect(kept.output()).toEqual({ text: "abcd", droppedBytes: 0 });
});

test("a character that comes in pieces is whole", () => {
  const kept = capture(100);
  for (const byte of Buffer.from("añ€😀z")) kept.add(Buffer.from([byte]));
  expect(kept.output()).toEqual({ text: "añ€😀z", droppedBytes: 0 });
});

test("a character that the cap cuts in two is dropped as a whole", () => {
  const bytes = Buffer.from("€😀é");
  const cut = (capBytes: number) => {
    const kept = capture(capBytes);
    kept.add(bytes);
    return kept.output();
  };
  expect(bytes.length).toBe(9);
  expect([0, 1, 2, 3, 4, 6, 7, 8, 9].map((cap) => [cap, cut(cap).text, cut(cap).droppedBytes])).toEqual([
    [0, "", 9],
    [1, "", 9],
    [2, "", 9],
    [3, "€", 6],
    [4, "€", 6],
    [6, "€", 6],
    [7, "€😀", 2],
    [8, "€😀", 2],
    [9, "€😀é", 0],
  ]);
});

test("bytes that are not valid UTF-8 become replacement characters, also at a cut", () => {
  const kept = capture(3);
  kept.add(Buffer.from([0x80, 0x80, 0x80, 0x80]));
  expect(kept.output()).toEqual({ text: "\ufffd\ufffd\ufffd", droppedBytes: 1 });
});

test("cutting makes room again, but never behind something dropped", () => {
  const kept = capture(4);
  kept.add(Buffer.from("ab"));
  kept.cutTo(1);
  kept.add(Buffer.from("xyz"));
  expect(kept.text()).toBe("axyz");
  kept.add(Buffer.from("!"));
  kept.cutTo(0);
  kept.add(Buffer.from("?"));
  expect(kept.output()).toEqual({ text: "", droppedBytes: 2 });
});

test("a million single bytes cost the cap and not a million chunks", () => {
  const kept = capture(2 ** 20);
  const chunk = Buffer.from("x");
  for (let count = 0; count < 1_100_000; count++) kept.add(chunk);
  expect(kept.lengthBytes).toBe(2 ** 20);
  expect(kept.droppedBytes).toBe(1_100_000 - 2 ** 20);
});
