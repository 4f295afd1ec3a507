import { expect, test } from "vitest";
import { analyseShell, applyUpdates, checkUpdates, compileRules, judge, resolveInside } from "./index.ts";

const context = { cwd: "/t", home: "/h", projectRoot: "/t" };
const policy = compileRules([{ scope: "user" }]);
const call = { tool: "Bash", input: { command: "ls" } };

test.each<[string, () => unknown, string]>([
  [
    "a layer without a scope",
    () => compileRules([{ deny: ["Bash"] } as never]),
    "layer 0 has no scope; give it one of",
  ],
  ["a misspelled scope", () => compileRules([{ scop: "user" } as never]), '"scop" looks like it'],
  ["an unknown scope", () => compileRules([{ scope: "users" as never }]), 'must be one of "managed"'],
  [
    "a trust that is a text",
    () => compileRules([{ scope: "project", trusted: "no" as never }]),
    "must be true or false",
  ],
  ["misspelled names", () => compileRules([], { alias: {} } as never), "Did you mean aliases?"],
  [
    "a misspelled context",
    () => judge(call, policy, { ...context, atended: false } as never),
    "Did you mean attended?",
  ],
  [
    "a context of a wrong type",
    () => judge(call, policy, { ...context, attended: "no" as never }),
    "must be true or false",
  ],
  ["a misspelled file system", () => resolveInside("a", ["/t"], { cwd: "/t", fz: {} } as never), "Did you mean fs?"],
  [
    "a misspelled environment",
    () => analyseShell("ls", { ...context, envName: [] } as never),
    "Did you mean envNames?",
  ],
  [
    "an analysis without a folder",
    () => analyseShell("ls", {} as never),
    "cwd is missing in its context; it must be an absolute path.",
  ],
  ["an analysis without a text", () => analyseShell(5 as never, context), "must be a string"],
  [
    "a misspelled source of updates",
    () => checkUpdates([], policy, { scoop: "project" } as never),
    "Did you mean scope?",
  ],
  [
    "a wrong source of updates",
    () => applyUpdates(policy, [], { bypassAvailable: 1 as never }),
    "must be true or false",
  ],
])("%s is refused, and the message names it", (_, wrong, message) => {
  expect(wrong).toThrow(expect.objectContaining({ name: "Problem", code: "permissions/bad-call" }));
  expect(wrong).toThrow(message);
});
