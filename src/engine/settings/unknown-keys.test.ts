import { expect, test } from "vitest";
import { checkoutWorld } from "../fixtures/checkout.ts";
import { diagnose, openEngine } from "../internal.ts";
import { readLayer } from "./read-layer.ts";

const file = "/home/dev/.claude/settings.json";
const read = (value: object) => readLayer({ kind: "user", file }, Buffer.from(JSON.stringify(value)));
const hook = { type: "command", command: "true" };

const unknown = (names: string) => ({
  code: "unknown-keys",
  message: `${file} has unknown keys, which have no effect: ${names}.`,
  place: file,
});

test("the unknown keys of a file, of its groups and of its hooks are one warning; the others keep theirs", () => {
  const { warnings } = read({
    $schema: "x",
    guards: [hook],
    modle: "x",
    hooks: { Stop: [{ when: 1, _note: 1, hooks: [{ ...hook, failOpen: false, tiemout: 5, cloud: "skip" }] }] },
  });
  expect(warnings).toEqual([
    expect.objectContaining({ message: expect.stringContaining('Did you mean "timeout"?') }),
    expect.objectContaining({ message: expect.stringContaining("Use model instead.") }),
    unknown('"guards", "hooks.Stop[0].when", "hooks.Stop[0].hooks[0].failOpen"'),
  ]);
});

test("a long list of unknown keys is cut, and their number is given", () => {
  const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`);
  const { warnings } = read(Object.fromEntries(keys.map((key) => [key, 1])));
  const named = keys.slice(0, 10).map((key) => `"${key}"`);
  expect(warnings).toEqual([unknown(`${named.join(", ")} and 2 more`)]);
});

test.each([
  { failOpen: false },
  { continueOnError: false },
  { onNonZeroExit: "block" },
  { onErrors: ["block"] },
  { error: "see docs" },
])("%j on a hook is an unknown key and not a failure policy", (policy) => {
  const { warnings, settings } = read({ hooks: { PreToolUse: [{ hooks: [{ ...hook, ...policy }] }] } });
  expect(warnings.map(({ code }) => code)).toEqual(["unknown-keys"]);
  expect(settings.hooks?.["PreToolUse"]?.[0]?.hooks[0]).not.toHaveProperty("onFailure");
});

test.each(["allow", "ignore"])("onError: %s is reported and does not deny", (word) => {
  const { warnings, settings } = read({ hooks: { PreToolUse: [{ hooks: [{ ...hook, onError: word }] }] } });
  expect(warnings).toMatchObject([{ code: "on-failure-invalid", message: expect.stringContaining("It is ignored.") }]);
  expect(settings.hooks?.["PreToolUse"]?.[0]?.hooks[0]).not.toHaveProperty("onFailure");
});

test.each([
  { setup: ["npm install"] },
  { notifications: { type: "command", command: "say hi" } },
  { preToolUse: "guard.sh" },
])("%j is an unknown key and not a misspelled event", (settings) => {
  expect(read(settings).warnings.map(({ code }) => code)).toEqual(["unknown-keys"]);
});

test.each([
  ["block_reads_outside_working_directories", true],
  ["disable_bypass_permissions_mode", "disable"],
])("%s at the top of a file is reported with its place", (key, value) => {
  expect(read({ [key]: value }).warnings).toMatchObject([
    { code: "settings-invalid", message: expect.stringContaining("Use permissions.") },
  ]);
});

/** The warnings about one file, and the decision on a call inside the agent x. */
async function outcomeOf(path: string, content: unknown) {
  const world = await checkoutWorld();
  await world.put(path, content);
  const options = { ...world.options, plugins: path.startsWith("plugin") ? [`${world.root}/plugin`] : [] };
  const engine = await openEngine(options);
  const call = { tool_name: "Bash", tool_input: { command: "rm x" }, agent_type: "x", agent_id: "a" };
  const { decision } = await engine.fire("PreToolUse", call);
  const warnings = engine.warnings.map(({ code, message }) => `${code}${message.slice(message.lastIndexOf(":"))}`);
  await engine.close();
  return { decision, warnings, levels: (await diagnose(options)).map(({ level, code }) => `${level} ${code}`) };
}

const agent = (head: string) => `---\nname: x\n${head}\n---\nhi\n`;
const used = "PreToolUse: [{hooks: [{type: command, command: 'true', onFailure: block}]}]";

test.each<[path: string, content: unknown, warnings: readonly string[]]>([
  [
    "plugin/hooks/hooks.json",
    { description: "x", hooks: {}, permissions: { deny: ["Bash"] } },
    ['unknown-keys: "permissions".'],
  ],
  ["plugin/.claude-plugin/plugin.json", { permissions: { deny: ["Bash"] } }, ['unknown-keys: "permissions".']],
  ["plugin/hooks/hooks.json", { hooks: {}, disallowedTools: ["Bash"] }, ['unknown-keys: "disallowedTools".']],
  [
    "plugin/hooks/hooks.json",
    { hooks: {}, description: { permissions: { deny: ["Bash"] } } },
    ['unknown-keys: "description.permissions.deny".'],
  ],
  [
    "plugin/.claude-plugin/plugin.json",
    { hooks: { Stop: [{ hooks: [hook] }] }, guards: [{ ...hook, onFailure: "block" }] },
    ['unknown-keys: "guards".'],
  ],
  [
    "home/.claude/agents/x.md",
    agent("metadata: {permissions: {deny: ['Bash(rm *)']}}"),
    ['unknown-keys: "metadata.permissions.deny".'],
  ],
  ["home/.claude/agents/x.md", agent("permissions:\n  deny: ['Bash(rm *)']"), ['unknown-keys: "permissions".']],
  ["home/.claude/agents/x.md", agent(`guards: 1\ncolor: red\nhooks: {${used}}`), ['unknown-keys: "guards".']],
  ["home/.claude/agents/x.md", agent(`x-guard: &g\n  ${used}\nhooks: *g`), []],
  ["home/.claude/agents/x.md", agent("stop: [a, b]\nguards: 1"), []],
])("the unknown keys of %s are reported once, without an effect on decisions", async (path, content, warnings) => {
  expect(await outcomeOf(path, content)).toMatchObject({ decision: "none", warnings });
});

test("nested lists of an event that cannot deny are read in linear time", () => {
  let inside: object = { onFailure: "block" };
  for (let level = 0; level < 60; level++) inside = { Notification: [{ hooks: [], inside }] };
  expect(read({ hooks: inside }).readable).toBe(true);
});

test.each([{ prompts: { ask: "Write: a failing test first" } }, { commands: { ask: ["Read (or skim) the docs"] } }])(
  "%j has no rules",
  (settings) => {
    const { settings: inEffect, warnings } = read(settings);
    expect(inEffect.permissions).toBeUndefined();
    expect(warnings.map(({ code }) => code)).toEqual(["unknown-keys"]);
  },
);

test("doctor reports unknown keys as a note", async () => {
  expect((await outcomeOf("home/.claude/settings.json", { guards: 1 })).levels).toEqual(["note unknown-keys"]);
});
