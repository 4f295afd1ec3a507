import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { makeScratch } from "./sandbox.ts";

test("what a killed replay left is taken along, that of a living one and everything else stays", async () => {
  const temp = realpathSync(mkdtempSync(join(tmpdir(), "hookline-scratch-")));
  try {
    const dead = 2 ** 22 + 1; // beyond what Linux gives out
    for (const name of [`hookline-replay-${dead}-x`, `hookline-replay-${process.pid}-y`, "hookline-replay-mine"]) {
      mkdirSync(join(temp, name));
    }
    writeFileSync(join(temp, `hookline-replay-${dead}-file`), "");
    const made = await makeScratch(temp);
    expect(readdirSync(temp).sort()).toEqual(
      [
        basename(made),
        `hookline-replay-${dead}-file`,
        `hookline-replay-${process.pid}-y`,
        "hookline-replay-mine",
      ].sort(),
    );
    expect(statSync(made).mode & 0o777).toBe(0o700);
  } finally {
    rmSync(temp, { recursive: true });
  }
});
