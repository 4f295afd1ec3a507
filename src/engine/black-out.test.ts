import { expect, test } from "vitest";
import { blackedOut } from "./black-out.ts";

test.each([
  ["https://joe:pw@a.example/x", "https://[redacted]@a.example/x"],
  ["https://joe:p@w@a.example/x", "https://[redacted]@a.example/x"],
  ["https://token@a.example", "https://[redacted]@a.example"],
  [
    "postgres://u:p's<x>@db:5432/n and git+ssh://git@host/r",
    "postgres://[redacted]@db:5432/n and git+ssh://[redacted]@host/r",
  ],
  ['{"u":"https:\\/\\/joe:pw@a.example"}', '{"u":"https:\\/\\/[redacted]@a.example"}'],
  ["https://a.example/@scope/x", "https://a.example/@scope/x"],
  ["https://a.example?mail=x@y", "https://a.example?mail=x@y"],
  ["https://a.example mail x@y", "https://a.example mail x@y"],
  ['["https://a.example","x@y"]', '["https://a.example","x@y"]'],
])("credentials in %j", (text, seen) => {
  expect(blackedOut(text, [])).toBe(seen);
});

test("the longest secret is taken first, and characters of patterns mean themselves", () => {
  expect(blackedOut("ab.*c ab.*cd abxxc redacted", ["ab.*c", "ab.*cd", "redacted", ""])).toBe(
    "[redacted] [redacted] abxxc [redacted]",
  );
});

test("a secret at the beginning of credentials does not uncover the rest of them", () => {
  expect(blackedOut("http://admin1:hunter2@h/", ["admin1"])).toBe("http://[redacted]@h/");
});

test("keys named like a prototype stay keys, circles stay circles, depth has an end", () => {
  const seen = blackedOut(JSON.parse('{"__proto__":{"x":"hunter2"}}') as object, ["hunter2"]);
  expect([JSON.stringify(seen), ({} as Record<string, unknown>)["x"]]).toEqual([
    '{"__proto__":{"x":"[redacted]"}}',
    undefined,
  ]);
  const circle: { self?: unknown; twin?: unknown; name: string } = { name: "hunter2" };
  circle.self = circle;
  circle.twin = circle;
  const copy = blackedOut(circle, ["hunter2"]);
  expect([copy.name, copy.self === copy, copy === circle]).toEqual(["[redacted]", true, false]);
  const deep = JSON.parse(`${"[".repeat(5_000)}"hunter2"${"]".repeat(5_000)}`) as unknown;
  expect(JSON.stringify(blackedOut(deep, ["hunter2"]))).toBe(`${"[".repeat(50)}"[redacted]"${"]".repeat(50)}`);
});

test("a megabyte that looks like the beginning of credentials is no trouble", () => {
  const text = `${"a".repeat(500_000)}${"://x".repeat(100_000)}`;
  expect(blackedOut(text, ["hunter2"])).toBe(text);
});
