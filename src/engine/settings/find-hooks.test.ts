import { expect, test } from "vitest";
import { readLayer } from "./read-layer.ts";

const file = "/home/dev/.claude/settings.json";
const read = (value: object) => readLayer({ kind: "user", file }, Buffer.from(JSON.stringify(value)));

const guard = { type: "command", command: "exit 0", onFailure: "block" };
const groups = [{ matcher: "Bash", hooks: [guard] }];

test.each<[at: string, settings: object]>([
  ["metadata.hooks.preToolUse[0].hooks[0]", { metadata: { hooks: { preToolUse: groups } } }],
  ["metadata.PreTooluse[0].hooks[0]", { metadata: { PreTooluse: groups } }],
  ["metadata.PreToolUse[0]", { metadata: { PreToolUse: [guard] } }],
  ["metadata.PreToolUse", { metadata: { PreToolUse: { hooks: [guard] } } }],
  ["preToolUse", { preToolUse: { hooks: [guard] } }],
  ["hooks.guards.PreToolUse[0].hooks[0]", { hooks: { guards: { PreToolUse: groups } } }],
  ["hooks.a.b[0].hooks.PreToolUse[0].hooks[0]", { hooks: { a: { b: [{ hooks: { PreToolUse: groups } }] } } }],
  ["counterexamples.PreToolUse[0].hooks[0]", { counterexamples: { PreToolUse: groups } }],
])("a guard at %s is reported, and denies on the event that is meant", (at, settings) => {
  const layer = read(settings);
  expect(layer.unusable).toMatchObject([{ event: "PreToolUse", at, denies: true }]);
  expect(layer.warnings).toContainEqual(
    expect.objectContaining({ code: "hook-invalid", message: expect.stringContaining("is denied until it is fixed") }),
  );
});

test("a group without an event, at any place, is reported", () => {
  expect(read({ team: { rules: groups } }).warnings).toMatchObject([
    { code: "hook-invalid", message: expect.stringContaining("team.rules[0].hooks in") },
  ]);
});

test("what looks like a hook and is none is not reported", () => {
  const command = { type: "command", command: "x" };
  const server = { type: "http", url: "http://127.0.0.1" };
  const settings = {
    statusLine: command,
    fileSuggestion: command,
    mcpServers: { hooks: server, Stop: server },
    ci: { run: command, hooks: { install: true }, Stop: "later" },
    disabled_hooks: { PreToolUse: groups },
    old: { backupHooks: { PreToolUse: groups }, PreToolUse_unused: groups },
  };
  expect(read(settings).warnings).toEqual([]);
});

test.each([
  ["metadata.permissions", { metadata: { permissions: { deny: ["Bash(rm *)"] } } }],
  ["a.b.Permission", { a: { b: { Permission: { Ask: ["Bash(rm *)"] } } } }],
])("rules under %s are reported, and kept as rules that cannot be read", (at, settings) => {
  const layer = read(settings);
  expect(layer.warnings).toMatchObject([{ code: "settings-invalid", place: `${file}: ${at}` }]);
  const kept = Object.entries(layer.settings.permissions ?? {});
  expect(kept).toEqual([[expect.stringMatching(new RegExp(`^${at}\\.(deny|Ask)$`)), ["Bash(rm *)"]]]);
});

test.each([{ onFailed: "block" }, { blockOnFailure: true }, { failSafe: true }, { denyOnError: true }])(
  "%o on a hook counts as onFailure: block, and is reported there and at the top of a file",
  (policy) => {
    const { settings, warnings } = read({
      hooks: { Stop: [{ hooks: [{ ...policy, type: "command", command: "x" }] }] },
    });
    expect(warnings).toMatchObject([{ code: "on-failure-invalid" }]);
    expect(settings.hooks?.["Stop"]?.[0]?.hooks).toMatchObject([{ onFailure: "block" }]);
    expect(read(policy).warnings).toMatchObject([
      { code: "settings-invalid", message: expect.stringContaining("Use onFailure") },
    ]);
  },
);

test("a list of errors on a hook is no failure policy", () => {
  const { settings, warnings } = read({
    hooks: { Stop: [{ hooks: [{ type: "command", command: "x", errors: [] }] }] },
  });
  expect(warnings).toEqual([]);
  expect(settings.hooks?.["Stop"]?.[0]?.hooks[0]).not.toHaveProperty("onFailure");
});

const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`key${index}`, 1]));

test("more unknown keys than are compared with the known ones are reported", () => {
  const text = "has 1001 unknown keys. Only the first 1000 are compared";
  expect(read(many).warnings).toMatchObject([{ message: expect.stringContaining(`${file} ${text}`) }]);
  const hook = { ...many, type: "command", command: "x" };
  expect(read({ hooks: { Stop: [{ hooks: [hook] }] } }).warnings).toMatchObject([
    { message: expect.stringContaining(`hooks.Stop[0].hooks[0] in ${file} ${text}`) },
  ]);
});

test.each<[name: string, settings: object]>([
  ["numbers under an unknown key", { notes: Array(200_000).fill(1) }],
  ["unknown events", { hooks: Object.fromEntries(Array.from({ length: 130_000 }, (_, index) => [`e${index}`, 1])) }],
  ["hooks that cannot be used", { hooks: { Stop: [{ hooks: Array(130_000).fill(1) }] } }],
])("a file with more than 100,000 %s is read", (_name, settings) => {
  expect(read(settings).readable).toBe(true);
});

test("an error while a layer is checked is a warning of that layer", () => {
  const rows = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("too much");
      },
    },
  );
  const layer = readLayer({ kind: "project", file }, Buffer.from('{"hooks":{"Unknown":[]}}'), rows);
  expect(layer).toMatchObject({ readable: false, warnings: [{ code: "settings-unreadable" }] });
  expect(layer.warnings[0]?.message).toContain("cannot be read: too much. Its hooks are disabled until it is fixed");
});
