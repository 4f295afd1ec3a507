import { expect, test } from "vitest";
import { argumentWords, shellWords, type Word } from "./program-findings.ts";

const named = (words: readonly Word[]): readonly string[] =>
  words.flatMap(({ text, use }) => (use === "written" ? [] : [text]));

test("words are split as a shell splits them, quotes taken off", () => {
  expect(named(shellWords(`node "hooks/my check.js" --config='a b.json' x\\ y`))).toEqual([
    "node",
    "hooks/my check.js",
    "hooks/my",
    "check.js",
    "--config=a b.json",
    "--config=a",
    "b.json",
    "x y",
    "x",
    "y",
  ]);
});

test("operators, substitutions and comments separate words", () => {
  expect(named(shellWords("a.sh;b.sh&&c.sh|d.sh & (e.sh) `f.sh` $(g.sh) <h.txt # i.sh\nj.sh"))).toEqual([
    ...["a.sh", "b.sh", "c.sh", "d.sh", "e.sh", "f.sh", "$", "g.sh", "h.txt", "j.sh"],
  ]);
});

test("a command inside a word names its files too", () => {
  expect(named(shellWords(`bash -c 'sh "deep.sh"'`))).toContain("deep.sh");
  expect(named(shellWords('echo "$(./inner.sh)"'))).toContain("./inner.sh");
  expect(named(argumentWords("bash", ["-c", "node hooks/x.js"]))).toEqual([
    "bash",
    "-c",
    "node hooks/x.js",
    "node",
    "hooks/x.js",
  ]);
});

test("what is only written to is not named, unless it is named elsewhere too", () => {
  expect(named(shellWords("echo x >> log.txt; echo y 2>err.txt &>all.txt >|w.txt"))).toEqual([
    "echo",
    "x",
    "echo",
    "y",
  ]);
  expect(named(shellWords('touch "$CLAUDE_PROJECT_DIR/mark"'))).toEqual(["touch"]);
  expect(named(shellWords("FOO=1 /usr/bin/touch mark && ./mark"))).toEqual(["FOO=1", "/usr/bin/touch", "./mark"]);
  expect(named(argumentWords("touch", ["mark"]))).toEqual(["touch"]);
});

test("a hostile text has words like any other", () => {
  const open = { "'": 1, '"': 1, "\\": 1, "${": 1 };
  const none = { "`": 0, "(": 0, ";": 0, ">": 0, "#": 0 };
  const counts = { ...open, ...none, "$(": 60_000, "a ": 60_000, "'a b' ": 180_000 };
  const found = Object.keys(counts).map((piece) => [piece, shellWords(piece.repeat(60_000)).length]);
  expect(Object.fromEntries(found)).toEqual(counts);
});
