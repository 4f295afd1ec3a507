import { expect, test } from "vitest";
import { ownEntries } from "./own-entries.ts";

test("a lock file without a full command claims no entries", () => {
  const guard = { type: "command", command: "node", args: ["guard.js"] };
  const shell = { type: "command", command: "node guard.js" };
  const ours = { type: "command", command: "node", args: ["bin.cjs", "run", "hooks.ts"] };
  const settings = { hooks: { PreToolUse: [{ hooks: [guard] }, { hooks: [shell] }, { hooks: [ours] }] } };
  const found = (...calls: string[][]) =>
    ownEntries(settings, { root: "/project", hooksFiles: [], calls }).map(({ group }) => group);
  expect([found([]), found(["node"]), found(["node", "bin.cjs", "run", "hooks.ts"])]).toEqual([[], [], [2]]);
});

test("a shell line that runs bin.cjs with this hooks file is recognized without a lock file", () => {
  const line = (command: string) => ({ hooks: [{ type: "command", command }] });
  const settings = {
    hooks: {
      Stop: [line("node '/my apps/dist/cli/bin.cjs' run /project/hooks.ts"), line("node run /project/hooks.ts")],
    },
  };
  const marks = { root: "/project", hooksFiles: ["/project/hooks.ts"], calls: [] };
  expect(ownEntries(settings, marks).map(({ group }) => group)).toEqual([0]);
});
