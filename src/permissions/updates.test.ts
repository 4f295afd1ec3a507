import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { PermissionUpdate } from "../protocol/internal.ts";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";
import type { Mode } from "./rule-layer.ts";
import { applyUpdates, checkUpdates } from "./updates.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };
const folder = mkdtempSync(join(tmpdir(), "hookline-updates-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rules = (behavior: "allow" | "ask" | "deny", ...texts: string[]) => ({
  behavior,
  rules: texts.map((text) => ({ toolName: "Bash", ruleContent: text })),
});

function decide(policy: ReturnType<typeof compileRules>, command: string): string {
  return judge({ tool: "Bash", input: { command } }, policy, context).decision;
}

test("rules of the session are added, replaced and removed, in effect from the next judgment", () => {
  const start = compileRules([{ scope: "user", deny: ["Bash(rm *)"] }]);
  const added = applyUpdates(start, [
    { type: "addRules", destination: "session", ...rules("allow", "npm *", "npm *") },
  ]).policy;
  expect([decide(start, "npm x"), decide(added, "npm x"), decide(added, "rm x")]).toEqual(["ask", "allow", "deny"]);
  const replaced = applyUpdates(added, [
    { type: "replaceRules", destination: "session", ...rules("allow", "git *") },
  ]).policy;
  expect([decide(replaced, "npm x"), decide(replaced, "git x")]).toEqual(["ask", "allow"]);
  const removed = applyUpdates(replaced, [
    { type: "removeRules", destination: "session", ...rules("allow", "git *") },
  ]).policy;
  expect(decide(removed, "git x")).toBe("ask");
  // Only the session's own rules can be removed this way.
  const kept = applyUpdates(removed, [
    { type: "removeRules", destination: "session", ...rules("deny", "rm *") },
  ]).policy;
  expect(decide(kept, "rm x")).toBe("deny");
});

test("mode and directories of the session", () => {
  const { policy } = applyUpdates(compileRules([]), [
    { type: "setMode", destination: "session", mode: "acceptEdits" },
    { type: "addDirectories", destination: "session", directories: [folder] },
  ]);
  const write = (path: string, mode?: Mode) =>
    judge({ tool: "Write", input: { file_path: path } }, policy, { ...context, ...(mode ? { mode } : {}) }).decision;
  expect([write(join(folder, "a")), write("/elsewhere/a"), write("a", "default")]).toEqual(["allow", "ask", "allow"]);
  const { policy: less } = applyUpdates(policy, [
    { type: "removeDirectories", destination: "session", directories: [folder] },
  ]);
  expect(judge({ tool: "Write", input: { file_path: join(folder, "a") } }, less, context).decision).toBe("ask");
});

test("a bad entry is dropped with a warning, the others stay", () => {
  const good = { type: "addRules", destination: "session", ...rules("allow", "npm *") };
  const bad = [
    5,
    {},
    { type: "addRules", destination: "nowhere", ...rules("allow", "x") },
    { type: "odd", destination: "session" },
    { type: "addRules", destination: "session", behavior: "permit", rules: [] },
    { type: "addRules", destination: "session", behavior: "allow", rules: [{ toolName: "mcp__*" }] },
    { type: "addRules", destination: "session", behavior: "deny", rules: [{ toolName: "Read", ruleContent: "!x" }] },
    { type: "setMode", destination: "session", mode: "odd" },
    { type: "addDirectories", destination: "session", directories: ["relative"] },
    { type: "addDirectories", destination: "session", directories: [join(folder, "not-there")] },
  ];
  const { accepted, warnings } = checkUpdates([...bad, good], compileRules([]));
  expect(accepted).toEqual([good]);
  expect(warnings.map(({ code, place }) => [code, place])).toEqual(
    bad.map((_, index) => ["permission-update-invalid", `updatedPermissions[${index}]`]),
  );
});

test("what is refused", () => {
  const policy = compileRules([]);
  const bypass = (destination: string) => ({ type: "setMode", destination, mode: "bypassPermissions" });
  const user = { type: "addRules", destination: "userSettings", ...rules("allow", "npm *") };
  const count = (update: object, source = {}, on = policy) => checkUpdates([update], on, source).accepted.length;
  expect([
    count(user, { scope: "project" }),
    count(user, { scope: "local" }),
    count(user, { scope: "agent" }),
    count(user, { scope: "user" }),
    count(user),
  ]).toEqual([0, 0, 0, 1, 1]);
  expect([
    count(bypass("session")),
    count(bypass("session"), { bypassAvailable: true }),
    count(bypass("localSettings"), { bypassAvailable: true }),
  ]).toEqual([0, 1, 0]);
  const managed = compileRules([{ scope: "managed", allowManagedPermissionRulesOnly: true }]);
  const grants = [
    user,
    { type: "addDirectories", destination: "session", directories: [folder] },
    { type: "setMode", destination: "session", mode: "acceptEdits" },
  ];
  expect(grants.map((update) => count(update, {}, managed))).toEqual([0, 0, 0]);
  expect(count({ type: "addRules", destination: "session", ...rules("deny", "npm *") }, {}, managed)).toBe(1);
});

test("entries for files are handed back for the editor", () => {
  const update: PermissionUpdate = { type: "addRules", destination: "localSettings", ...rules("allow", "npm *") };
  const start = compileRules([]);
  expect(applyUpdates(start, [update])).toEqual({ policy: start, stored: [update], warnings: [] });
});

test("one exact rule per part that is not covered, which really covers it", () => {
  const call = { tool: "Bash", input: { command: "npm 'a*(b)' && git log > 'n.txt' | wc -l" } };
  const { suggestions } = judge(call, compileRules([]), context);
  expect(suggestions).toEqual([
    {
      type: "addRules",
      behavior: "allow",
      destination: "localSettings",
      rules: [{ toolName: "Bash", ruleContent: "npm a\\*\\(b\\)" }],
    },
    {
      type: "addRules",
      behavior: "allow",
      destination: "localSettings",
      rules: [{ toolName: "Bash", ruleContent: "git log" }],
    },
    {
      type: "addRules",
      behavior: "allow",
      destination: "localSettings",
      rules: [{ toolName: "Edit", ruleContent: "./n.txt" }],
    },
  ]);
  const session = suggestions.map((update) => ({ ...update, destination: "session" }) as PermissionUpdate);
  expect(judge(call, applyUpdates(compileRules([]), session).policy, context).decision).toBe("allow");
});

test("modes and directories where they help, nothing where no rule could", () => {
  const suggestions = (tool: string, input: object) => judge({ tool, input }, compileRules([]), context).suggestions;
  expect(suggestions("Write", { file_path: "a[1].ts" })).toEqual([
    {
      type: "addRules",
      behavior: "allow",
      destination: "localSettings",
      rules: [{ toolName: "Edit", ruleContent: "./a[[]1].ts" }],
    },
    { type: "setMode", mode: "acceptEdits", destination: "session" },
  ]);
  expect(suggestions("Read", { file_path: join(folder, "x") })).toEqual([
    { type: "addDirectories", directories: [folder], destination: "session" },
  ]);
  for (const command of ["rm -rf /", "echo x > .git/config", 'echo "x', "$x y", "FOO=1 git x"])
    expect(suggestions("Bash", { command })).toEqual([]);
  const many = Array.from({ length: 9 }, (_, index) => `c${index} x`).join("; ");
  expect(suggestions("Bash", { command: many })).toHaveLength(5);
  expect(suggestions("WebFetch", { url: "https://a.io/x" })).toMatchObject([
    { rules: [{ toolName: "WebFetch", ruleContent: "domain:a.io" }] },
  ]);
});

test("a rule whose ruleContent is misspelled does not become a rule on the whole tool", () => {
  const update = { type: "addRules", destination: "session", behavior: "allow" };
  const policy = compileRules([]);
  const check = (rule: object) => checkUpdates([{ ...update, rules: [rule] }], policy).accepted.length;
  expect([check({ toolName: "Bash", rule_content: "git *" }), check({ toolName: "Bash", content: "git *" })]).toEqual([
    0, 0,
  ]);
  expect([check({ toolName: "Bash" }), check({ toolName: "Bash", ruleContent: "git *", more: 1 })]).toEqual([1, 1]);
});
