import { expect, test } from "vitest";
import { ownEntries } from "./own-entries.ts";

test("a lock file of a checkout that names no command, or a program alone, took every entry for ours", () => {
  const guard = { type: "command", command: "node", args: ["guard.js"] };
  const shell = { type: "command", command: "node guard.js" };
  const ours = { type: "command", command: "node", args: ["bin.cjs", "run", "hooks.ts"] };
  const settings = { hooks: { PreToolUse: [{ hooks: [guard] }, { hooks: [shell] }, { hooks: [ours] }] } };
  const found = (...calls: string[][]) =>
    ownEntries(settings, { root: "/project", hooksFiles: [], calls }).map(({ group }) => group);
  expect([found([]), found(["node"]), found(["node", "bin.cjs", "run", "hooks.ts"])]).toEqual([[], [], [2]]);
});
