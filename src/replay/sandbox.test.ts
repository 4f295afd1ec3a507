import { expect, test } from "vitest";
import { replayEnv, replayProcess } from "./sandbox.ts";

test("the process may read, write to its scratch folder, and nothing else", () => {
  expect(replayProcess("/scratch", false)).toMatchObject({
    form: "exec",
    file: process.execPath,
    args: [
      expect.stringMatching(/^--(?:experimental-)?permission$/),
      "--allow-fs-read=*",
      "--allow-fs-write=/scratch/",
      ...["--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning"],
      expect.stringMatching(/child.main\.js$/),
    ],
  });
  expect(replayProcess("/scratch", true)).toMatchObject({ args: [expect.stringMatching(/child.main\.js$/)] });
});

test("the environment cannot lift the limits, and temporary files go to the scratch folder", () => {
  const env = { HOME: "/home/ana", NODE_ENV: "test", NODE_OPTIONS: "--allow-child-process", NODE_V8_COVERAGE: "/c" };
  const tmp = "/scratch/tmp";
  expect(replayEnv(env, "/scratch")).toEqual({ HOME: "/home/ana", NODE_ENV: "test", TMPDIR: tmp, TEMP: tmp, TMP: tmp });
});
