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
  ["preToolUse", { preToolUse: { matcher: "Bash", command: "x", onFailure: "block" } }],
  ["metadata.PreToolUse[0]", { metadata: { PreToolUse: [{ command: "x", onFailure: "block" }] } }],
  ["hooks.Stop[0].PreToolUse[0].hooks[0]", { hooks: { Stop: [{ hooks: [], PreToolUse: groups }] } }],
  [
    "hooks.Stop[0].hooks[0].PreToolUse[0].hooks[0]",
    { hooks: { Stop: [{ hooks: [{ type: "command", command: "x", PreToolUse: groups }] }] } },
  ],
  ["hooks.PreToolUse[0].groups[0].hooks[0]", { hooks: { PreToolUse: [{ hooks: [], groups }] } }],
  ["hooks.PreToolUse[0].guards[0]", { hooks: { PreToolUse: [{ hooks: [], guards: [guard] }] } }],
  [
    "hooks.PreToolUse[0].hooks[0].hooks[0]",
    { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "x", hooks: [guard] }] }] } },
  ],
  ["counterexamples.PreToolUse[0].hooks[0]", { counterexamples: { PreToolUse: groups } }],
])("a guard at %s is reported, and denies on the event that is meant", (at, settings) => {
  const layer = read(settings);
  expect(layer.unusable).toMatchObject([{ event: "PreToolUse", at, denies: true }]);
  expect(layer.warnings).toContainEqual(
    expect.objectContaining({ code: "hook-invalid", message: expect.stringContaining("is denied until it is fixed") }),
  );
});

test("a guard under an unknown key of a group denies what the group matches", () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [], guards: [guard] }] };
  expect(read({ hooks }).unusable).toMatchObject([{ matcher: "Bash", denies: true }]);
});

test("a guard under another event in an entry that cannot be used denies on that event too", () => {
  const layer = read({ hooks: { PreToolUse: [{ matcher: "Edit", UserPromptSubmit: groups }] } });
  expect(layer.unusable?.map(({ event, denies }) => [event, denies])).toEqual([
    ["PreToolUse", true],
    ["UserPromptSubmit", true],
  ]);
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
  expect(read(settings).warnings).toMatchObject([
    { code: "unknown-keys", message: expect.stringMatching(/: "mcpServers", "ci", "old"\.$/) },
  ]);
});

const deny = ["Bash(rm *)"];

test.each<[at: string, settings: object]>([
  ["Deny", { Deny: deny }],
  ["denied", { denied: deny }],
  ["deny ", { "deny ": "bash(rm *)" }],
  ["perms.deny", { perms: { deny: "Bash(rm *)" } }],
  ["perms.rules.ask", { perms: { rules: { ask: ["mcp__github"] } } }],
  ["metadata.permissions.denied", { metadata: { permissions: { denied: deny } } }],
  ["a.b.Permission.Ask", { a: { b: { Permission: { Ask: ["Read"] } } } }],
  ["user.permissions.deny", { user: { "permissions.deny": deny } }],
  ["profiles[0].permissions.deny", { profiles: [{ permissions: { deny } }] }],
  ["permissions.denied", { "permissions.denied": deny }],
  ["hooks.Stop[0].permissions.deny", { hooks: { Stop: [{ hooks: [], permissions: { deny } }] } }],
])("rules under %s are reported, and kept as rules that cannot be read", (at, settings) => {
  const layer = read(settings);
  expect(layer.warnings).toMatchObject([{ code: "settings-invalid", place: `${file}: ${at}` }]);
  expect(Object.keys(layer.settings.permissions ?? {})).toEqual([at.includes(".") ? at : `(top level).${at}`]);
});

test.each<[key: string, settings: object]>([
  ["network", { network: { deny: ["*", "read"] } }],
  ["geo", { geo: { deny: [{ ip: "1" }] } }],
  ["faq", { faq: { ask: "Can it be undone?" } }],
])("a list under deny or ask without a rule, below %s, is an unknown key", (key, settings) => {
  const layer = read(settings);
  expect(layer.warnings).toMatchObject([{ code: "unknown-keys", message: expect.stringContaining(`: "${key}".`) }]);
  expect(layer.settings).toEqual({});
});

test("rules and hooks that were turned into comments or put aside are not reported, at any level", () => {
  const settings = {
    disabledPermissions: { deny },
    permissions_backup: { deny },
    examples: { permissions: { deny } },
    permissions: { _deny: deny, "//": "x" },
    hooks: { _PreToolUse: groups, disabledHooks: { PreToolUse: groups } },
  };
  expect(read(settings)).toMatchObject({ warnings: [], settings: { permissions: {} } });
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
  expect(warnings).toMatchObject([{ code: "unknown-keys" }]);
  expect(settings.hooks?.["Stop"]?.[0]?.hooks[0]).not.toHaveProperty("onFailure");
});

const many = Object.fromEntries(Array.from({ length: 130_000 }, (_, index) => [`key${index}`, 1]));

test.each<[name: string, settings: object]>([
  ["numbers under an unknown key", { notes: Array(200_000).fill(1) }],
  ["unknown keys of a hook", { hooks: { Stop: [{ hooks: [{ type: "command", command: "x", ...many }] }] } }],
  [
    "guards under an unknown key",
    { hooks: { Stop: [{ hooks: [], guards: Array(101_000).fill({ onFailure: "block" }) }] } },
  ],
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
