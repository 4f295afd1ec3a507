import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemErrorMessage } from "../protocol/internal.ts";
import { callHookline } from "./fixtures/caller.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("an error of the file system is printed with advice, not as a bug", () => {
  const refused = thrownBy(() => readFileSync("/dev/null/x"));
  expect(systemErrorMessage(refused)).toBe(
    "ENOTDIR: not a directory, open '/dev/null/x'. A component of the path is not a directory. Move it away.",
  );
  expect(systemErrorMessage(thrownBy(() => readFileSync("/none/here")))).toBeUndefined();
  expect(systemErrorMessage(Object.assign(new Error("no"), { code: "EACCES" }))).toBeUndefined();
  expect(systemErrorMessage(new TypeError("ours"))).toBeUndefined();
});

const withoutArguments = [
  ...["init", "uninstall", "status", "list", "doctor", "log", "statusline", "demo"],
  ...["sessions ls", "sessions live"],
];
const withOne = [
  ...["replay", "install", "serve", "run", "explain", "fire", "check", "trust", "usage", "ask"],
  ...["show", "tree", "export", "repair", "fork"].map((verb) => `sessions ${verb}`),
];
const withAnyNumber = ["test", "agent", "sessions search", "sessions validate", "sessions archive"];

/** The names that the help of the program, or of a group, lists. */
async function listed(...args: readonly string[]): Promise<string[]> {
  const { out } = await callHookline([...args, "--help"], { home: "/" });
  return [...out.matchAll(/^ {2}(\w+) {2}/gm)].map(([, name]) => [...args, name].join(" "));
}

test("the lists below name every command", async () => {
  const names = [...(await listed()).filter((name) => name !== "sessions"), ...(await listed("sessions"))];
  expect([...withoutArguments, ...withOne, ...withAnyNumber].sort()).toEqual(names.sort());
});

test.each([
  ...withoutArguments.map((name) => [name, ["zzz"]] as const),
  ...withOne.map((name) => [name, ["one", "zzz"]] as const),
])("%s rejects an argument too many and names it", async (name, extra) => {
  const { status, out, err } = await callHookline([...name.split(" "), ...extra], { home: "/" });
  expect([status, out]).toEqual([1, ""]);
  expect(err).toContain('hookline: Unexpected argument "zzz".');
});
