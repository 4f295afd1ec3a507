import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkoutWorld } from "../../fixtures/checkout.ts";
import { coverageOf } from "./coverage.ts";

test("a script that is too long is reported with the limit", async () => {
  const { project: real, home, put } = await checkoutWorld();
  await put("project/long.sh", "echo ok\n".repeat(5_001));
  expect(coverageOf({ command: "sh long.sh" }, { cwd: real, real, home })).toEqual({
    unusable: "long.sh has more than 5000 commands",
  });
});

test("makefile variables that contain each other many times are refused quickly", {
  timeout: 5_000,
}, async () => {
  const { project: real, home, put } = await checkoutWorld();
  const of = (name: string): string => `$(${name})`.repeat(300);
  await put("project/Makefile", `A=${of("B")}\nB=${of("C")}\nC=${of("D")}\nD=x\nall:\n\techo $(A)\n`);
  expect(coverageOf({ command: "make" }, { cwd: real, real, home })).toEqual({
    unusable: "the variables of Makefile are too long",
  });
});

test("an import that is a link to itself is not covered", async () => {
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
