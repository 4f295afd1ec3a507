import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
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

test("a hostile command is looked at or refused, and neither takes long", { timeout: 60_000 }, async () => {
  const { project: real, home } = await checkoutWorld();
  for (const piece of [...pieces, ...wrappers]) {
    const covered = coverageOf({ command: piece.repeat(10_000) }, { cwd: real, real, home });
    expect([piece, "unusable" in covered || covered.files.length === 0]).toEqual([piece, true]);
  }
});

test("a hostile file is searched or refused, and neither takes long", { timeout: 60_000 }, async () => {
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

test("a script that is too long to be looked at is named with the limit", async () => {
  const { project: real, home, put } = await checkoutWorld();
  await put("project/long.sh", "echo ok\n".repeat(5_001));
  expect(coverageOf({ command: "sh long.sh" }, { cwd: real, real, home })).toEqual({
    unusable: "long.sh has more than 5000 commands",
  });
});

test("variables of a makefile that hold each other many times over are refused at once", {
  timeout: 5_000,
}, async () => {
  const { project: real, home, put } = await checkoutWorld();
  const of = (name: string): string => `$(${name})`.repeat(300);
  await put("project/Makefile", `A=${of("B")}\nB=${of("C")}\nC=${of("D")}\nD=x\nall:\n\techo $(A)\n`);
  expect(coverageOf({ command: "make" }, { cwd: real, real, home })).toEqual({
    unusable: "the variables of Makefile hold more than can be looked at",
  });
});

test("an import of a link that leads to itself is no file to cover", async () => {
  const { project: real, home, put } = await checkoutWorld();
  await put("project/a.js", 'require("./loop.js");');
  await symlink("loop.js", join(real, "loop.js"));
  const covered = coverageOf({ command: "node a.js" }, { cwd: real, real, home });
  expect(covered).toMatchObject({ files: [{ path: "a.js" }] });
});

test.skipIf(process.platform === "win32")(
  "a pipe in the place of package.json is refused without waiting",
  async () => {
    const { project: real, home, put } = await checkoutWorld();
    await put("project/a.js", 'import "#own";');
    execFileSync("mkfifo", [join(real, "package.json")]);
    expect(coverageOf({ command: "node a.js" }, { cwd: real, real, home })).toEqual({
      unusable: `${join(real, "package.json")} is not a regular file`,
    });
  },
);
