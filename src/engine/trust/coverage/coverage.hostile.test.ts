import { expect, test } from "vitest";
import { checkoutWorld } from "../../fixtures/checkout.ts";
import { coverageOf } from "./coverage.ts";

const pieces = [
  "'",
  '"',
  "\\",
  "${",
  "`",
  "(",
  ">",
  "$(",
  "a ",
  "'a b' ",
  "{a,b}",
  "x=$x;",
  "<<E\n",
  "a|",
  "*",
  "$'",
  "${a:-",
];
const wrappers = ["sh -c '", "env ", "find . -exec ", "a/*/*/"];

test("a hostile command is analyzed or refused, quickly in both cases", { timeout: 60_000 }, async () => {
  const { project: real, home } = await checkoutWorld();
  for (const piece of [...pieces, ...wrappers]) {
    const covered = coverageOf({ command: piece.repeat(10_000) }, { cwd: real, real, home });
    expect([piece, "unusable" in covered || covered.files.length === 0]).toEqual([piece, true]);
  }
});

test("a hostile file is searched or refused, quickly in both cases", { timeout: 60_000 }, async () => {
  const { project: real, home, put } = await checkoutWorld();
  const texts = {
    "a.js": 'import("',
    "b.js": "import/*",
    "c.js": '"\\',
    "d.py": "import (\n",
    "e.mk": "A=$(A)$(A)\ninclude $(A)\n",
    "f.js": `require("./${"x".repeat(400)}");`,
    "g.js": 'require("./x\\0y"); require("./x\0y");',
  };
  for (const [name, piece] of Object.entries(texts)) {
    await put(`project/${name}`, piece.repeat(20_000));
    const covered = coverageOf(
      { command: name.endsWith(".mk") ? `make -f ${name}` : `./${name}` },
      { cwd: real, real, home },
    );
    expect([name, "unusable" in covered || covered.files.length === 1]).toEqual([name, true]);
  }
});
