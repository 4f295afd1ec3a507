import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { appendLog, logFiles } from "./log-file.ts";

let folder: string;
let home: string;
let built: string;
let count = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookline-log-"));
  const { build } = await import("esbuild");
  built = join(folder, "log-file.mjs");
  await build({
    entryPoints: [resolve(import.meta.dirname, "log-file.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: built,
  });
});
beforeEach(() => {
  home = join(folder, `home-${count++}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const record = { time: "2026-01-01T00:00:00.000Z", event: "Stop" };
const env = () => ({ HOOKLINE_HOME: home });
const write = (fields: object = {}, options = {}) => {
  const complaints: string[] = [];
  appendLog({ ...record, ...fields }, env(), (line) => void complaints.push(line), options);
  return complaints;
};
const files = () => readdirSync(join(home, "log")).sort();
const lines = (name = "hooks.jsonl") =>
  readFileSync(join(home, "log", name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a rotation that a killed process left behind is done by another process", () => {
  write({ pad: "x".repeat(200) });
  const turn = join(home, "log/hooks.jsonl.turning");
  mkdirSync(turn);
  for (let n = 0; n < 3; n++) write({ n }, { maxBytes: 100 });
  expect(files()).toEqual(["hooks.jsonl", "hooks.jsonl.turning"]);
  utimesSync(turn, 1, 1);
  for (let n = 0; n < 3; n++) write({ n }, { maxBytes: 100 });
  expect(files()).toEqual(["hooks.jsonl", "hooks.jsonl.1"]);
});

test("a failed write is reported and changes nothing; a link is not followed; a torn line stays alone", () => {
  mkdirSync(home);
  writeFileSync(join(home, "log"), "");
  expect(write()).toEqual([
    expect.stringMatching(/^The hook log \S+\/log\/hooks\.jsonl cannot be written: .*Move it away\.$/),
  ]);
  rmSync(join(home, "log"));
  mkdirSync(join(home, "log"));
  writeFileSync(join(home, "target"), "");
  symlinkSync(join(home, "target"), join(home, "log/hooks.jsonl"));
  expect(write()).toEqual([expect.stringContaining("ELOOP")]);
  expect(readFileSync(join(home, "target"), "utf8")).toBe("");
  rmSync(join(home, "log/hooks.jsonl"));
  writeFileSync(join(home, "log/hooks.jsonl"), '{"torn":');
  expect(write()).toEqual([]);
  expect(readFileSync(join(home, "log/hooks.jsonl"), "utf8").split("\n")[0]).toBe('{"torn":');
});

test("a state folder that the file system denies does not keep the process running", () => {
  if (process.platform !== "linux") return;
  const words = [resolve(import.meta.dirname, "../fixtures/write-log.mjs"), built, 1, 1, 1_000, 3].map(String);
  const { status, stderr } = spawnSync(process.execPath, words, {
    env: { HOOKLINE_HOME: "/sys/denied" },
    timeout: 10_000,
  });
  expect([status, String(stderr)]).toEqual([
    0,
    expect.stringContaining("The hook log /sys/denied/log/hooks.jsonl cannot be written: E"),
  ]);
});

test("whatever an author hands to the log becomes a line of bounded length", () => {
  const ring: Record<string, unknown> = {};
  ring["self"] = ring;
  expect([...write({ data: ring }), ...write({ data: 1n }), ...write({ data: "x".repeat(10 * 2 ** 20) })]).toEqual([]);
  const broken = {
    toJSON() {
      throw new Error("no");
    },
  };
  expect(write({ data: { list: [1n, { ring }], broken: "no" } }).concat(write({ data: broken }))).toEqual([]);
  expect(write({ data: { ring, long: "x".repeat(70_000) } })).toEqual([]);
  expect(lines().map(({ data, cut }) => [cut ? String(data).length : data, cut])).toEqual([
    [{ self: "[ring]" }, undefined],
    ["1", undefined],
    [4_097, true],
    [{ list: ["1", { ring: { self: "[ring]" } }], broken: "no" }, undefined],
    ["[object Object]", undefined],
    [4_097, true],
  ]);
  expect(logFiles(env()).map((path) => path.slice(home.length))).toEqual([
    "/log/hooks.jsonl.2",
    "/log/hooks.jsonl.1",
    "/log/hooks.jsonl",
  ]);
});

test("a log follows its files, heals a torn end and mixes with other writers", () => {
  const complaints: string[] = [];
  const complain = (line: string) => void complaints.push(line);
  const [old = "", path = ""] = logFiles(env(), { files: 2 });
  const note = (n: number) => appendLog({ ...record, n }, env(), complain, { maxBytes: 400, files: 2 });
  const numbers = (file: string) =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => (line === "torn" ? line : (JSON.parse(line) as { n: number }).n));
  note(1);
  appendLog({ ...record, n: 2 }, env(), complain);
  note(3);
  writeFileSync(path, "torn", { flag: "a" });
  note(4);
  expect(numbers(path)).toEqual([1, 2, 3, "torn", 4]);
  note(5);
  for (let n = 6; n < 9; n++) note(n);
  expect([...numbers(old), ...(statSync(path, { throwIfNoEntry: false }) ? numbers(path) : [])].at(-1)).toBe(8);
  rmSync(path, { force: true });
  note(9);
  expect([numbers(path), statSync(path).mode & 0o777, complaints]).toEqual([[9], 0o600, []]);
});
