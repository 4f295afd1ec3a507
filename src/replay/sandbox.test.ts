import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { makeScratch, replayEnv, replayProcess } from "./sandbox.ts";

test("the process may read, write to its scratch folder, and nothing else", () => {
  expect(replayProcess("/scratch", false)).toMatchObject({
    form: "exec",
    file: process.execPath,
    args: [
      expect.stringMatching(/^--(?:experimental-)?permission$/),
      "--allow-fs-read=*",
      "--allow-fs-write=/scratch/",
      ...["--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning"],
      expect.stringMatching(/child.main\.cjs$/),
    ],
  });
  expect(replayProcess("/scratch", true)).toMatchObject({ args: [expect.stringMatching(/child.main\.cjs$/)] });
});

test("the environment cannot lift the limits, and temporary files go to the scratch folder", () => {
  const env = { HOME: "/home/ana", NODE_ENV: "test", NODE_OPTIONS: "--allow-child-process", NODE_V8_COVERAGE: "/c" };
  const tmp = "/scratch/tmp";
  expect(replayEnv(env, "/scratch")).toEqual({ HOME: "/home/ana", NODE_ENV: "test", TMPDIR: tmp, TEMP: tmp, TMP: tmp });
});

test("the folder of a killed replay is removed; those of running replays and all other files are kept", async () => {
  const temp = realpathSync(mkdtempSync(join(tmpdir(), "hookline-scratch-")));
  try {
    const dead = 2 ** 22 + 1; // above the largest pid of Linux
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
