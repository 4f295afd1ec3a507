import { describe, expect, test } from "vitest";
import { checkoutWorld } from "./fixtures/checkout.ts";
import { type EngineOptions, openEngine } from "./internal.ts";

const g = { type: "command", command: "exit 0", onFailure: "block" };
const bad = { type: "comand", command: "x", onFailure: "block" };
const bash = { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s" };
const read = { tool_name: "Read", tool_input: { file_path: "/x" }, session_id: "s" };

/** Opens an engine on files below the home folder; `settings` is the user's file. */
async function opened(files: Record<string, unknown>, more: EngineOptions = {}) {
  const world = await checkoutWorld();
  for (const [path, content] of Object.entries(files)) await world.put(path, content);
  const engine = await openEngine({ ...world.options, ...more });
  return { world, engine };
}

const withUser = (settings: unknown) => opened({ "home/.claude/settings.json": settings });

async function decisions(settings: unknown) {
  const { engine } = await withUser(settings);
  const outcomes = [await engine.fire("PreToolUse", bash), await engine.fire("PreToolUse", read)];
  const codes = engine.warnings.map(({ code }) => code);
  await engine.close();
  return { decisions: outcomes.map(({ decision }) => decision), reason: outcomes[0]?.reason, codes };
}

describe("an unusable guard in frontmatter denies exactly where the usable hook would run", () => {
  const frontmatter = (name: string, event = "PreToolUse") =>
    `---\nname: ${name}\ndescription: d\nhooks:\n  ${event}:\n    - hooks:\n        - type: comand\n          command: x\n          onFailure: block\n---\nhi\n`;
  const inside = { ...bash, agent_type: "x", agent_id: "a1" };

  test.each([
    [
      [inside, bash, inside],
      ["deny", "none", "deny"],
    ],
    [
      [bash, inside, bash],
      ["none", "deny", "none"],
    ],
  ])("an unusable guard of an agent denies inside it only, in any order", async (payloads, expected) => {
    const { engine } = await opened({ "home/.claude/agents/x.md": frontmatter("x") });
    const found = [];
    for (const payload of payloads) found.push((await engine.fire("PreToolUse", payload)).decision);
    expect(found).toEqual(expected);
    await engine.close();
  });

  test("an unusable guard of an agent denies in the whole session that was started as the agent", async () => {
    const { engine } = await opened({ "home/.claude/agents/x.md": frontmatter("x") }, { startedAs: "x" });
    expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
    await engine.close();
  });

  test.each(["Hooks", "hook", "hookss", "hoks"])(
    "an unusable guard under the key %s denies inside its agent only",
    async (key) => {
      const text = frontmatter("x").replace("hooks:", `${key}:`).replace("comand", "command");
      const { engine } = await opened({ "home/.claude/agents/x.md": text });
      expect(await engine.fire("PreToolUse", inside)).toMatchObject({
        decision: "deny",
        reason: expect.stringContaining(`${key}.PreToolUse[0].hooks[0]`),
      });
      expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
      await engine.close();
    },
  );

  test.each([
    ["? hooks\n: ", ""],
    ["&a hooks: ", ""],
    ["!!str hooks: ", ""],
    ['"\\x68ooks": ', ""],
    ["{name: x, hooks: ", "}"],
    ["  name: x\n  hooks: ", ""],
  ])("an unusable guard denies with its hooks written as YAML allows: %s", async (before, after) => {
    const text = `---\n${before}${JSON.stringify({ PreToolUse: [{ hooks: [bad] }] })}${after}\n---\nhi\n`;
    const { engine } = await opened({ "home/.claude/agents/x.md": text });
    expect((await engine.fire("PreToolUse", inside)).decision).toBe("deny");
    expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
    await engine.close();
  });

  test("a guard under an event at the top of the frontmatter denies", async () => {
    const text = `---\nname: x\nPreToolUse:\n  - hooks: [${JSON.stringify(g)}]\n---\nhi\n`;
    const { engine } = await opened({ "home/.claude/agents/x.md": text });
    expect((await engine.fire("PreToolUse", inside)).decision).toBe("deny");
    expect(engine.warnings.map(({ code }) => code)).toEqual(["hook-invalid", "hook-invalid"]);
    await engine.close();
  });

  test.each([
    ["metadata.hooks", `metadata:\n  hooks: ${JSON.stringify({ PreToolUse: [{ hooks: [g] }] })}`],
    ["metadata", `metadata:\n  PreToolUse: [{ hooks: [${JSON.stringify(g)}] }]`],
  ])("a guard under %s of the frontmatter denies inside its agent only", async (under, head) => {
    const { engine } = await opened({ "home/.claude/agents/x.md": `---\nname: x\n${head}\n---\nhi\n` });
    expect(await engine.fire("PreToolUse", inside)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining(`${under}.PreToolUse[0].hooks[0]`),
    });
    expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
    await engine.close();
  });

  test("onFailure at the top of frontmatter with hooks is reported", async () => {
    const head = `onFailure: block\nhooks: ${JSON.stringify({ Stop: [{ hooks: [{ type: "command", command: "x" }] }] })}`;
    const { engine } = await opened({ "home/.claude/agents/x.md": `---\nname: x\n${head}\n---\nhi\n` });
    expect(engine.warnings).toMatchObject([
      { code: "settings-invalid", place: expect.stringContaining(": onFailure") },
    ]);
    await engine.close();
  });

  test("an unusable guard of a skill denies once its skill was used", async () => {
    const { engine } = await opened({ "home/.claude/skills/sk/SKILL.md": frontmatter("sk") });
    expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
    engine.session("s").useSkill("sk");
    expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
    expect((await engine.fire("PreToolUse", { ...bash, session_id: "other" })).decision).toBe("none");
    await engine.close();
  });
});

describe("an entry that asks for block and cannot be used denies", () => {
  const group = { matcher: "Bash", hooks: [g] };
  test.each<[string, unknown, readonly string[], RegExp]>([
    [
      "hook in place of hooks",
      { hooks: { PreToolUse: [{ matcher: "Bash", hook: [g] }] } },
      ["deny", "none"],
      /hooks is missing/,
    ],
    [
      "Hooks in place of hooks",
      { hooks: { PreToolUse: [{ matcher: "Bash", Hooks: [g] }] } },
      ["deny", "none"],
      /hooks is missing/,
    ],
    ["a list in a list", { hooks: { PreToolUse: [[group]] } }, ["deny", "deny"], /must be an object/],
    ["matchers as keys", { hooks: { PreToolUse: { Bash: [g] } } }, ["deny", "deny"], /must be a list of groups/],
    ["a misspelled event", { hooks: { PreTooluse: [group] } }, ["deny", "none"], /move it to "hooks.PreToolUse"/],
    [
      "an event at the top",
      { PreToolUse: [group] },
      ["deny", "none"],
      /PreToolUse\[0\].hooks\[0\] in .*move it to "hooks.PreToolUse"/,
    ],
    [
      "a misspelled hooks",
      { Hooks: { PreToolUse: [group] } },
      ["deny", "none"],
      /Hooks.PreToolUse\[0\].hooks\[0\] in /,
    ],
    [
      "hooks under a foreign key",
      { metadata: { hooks: { PreToolUse: [group] } } },
      ["deny", "none"],
      /metadata\.hooks\.PreToolUse\[0\].hooks\[0\] in .*move it to "hooks.PreToolUse"/,
    ],
    ["a path as the key", { "hooks.PreToolUse": [group] }, ["deny", "none"], /hooks.PreToolUse\[0\].hooks\[0\] in /],
    ["events in a list", { hooks: [{ PreToolUse: [group] }] }, ["deny", "none"], /hooks\[0\].PreToolUse\[0\]/],
    ["hooks in hooks", { hooks: { hooks: { PreToolUse: [group] } } }, ["deny", "none"], /hooks.hooks.PreToolUse\[0\]/],
    [
      "an invalid matcher",
      { hooks: { PreToolUse: [{ matcher: "Bash(", hooks: [bad] }] } },
      ["deny", "deny"],
      /type is unknown/,
    ],
    [
      "an invalid condition",
      { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ ...bad, if: "Bash((" }] }] } },
      ["deny", "none"],
      /type is unknown/,
    ],
  ])("an entry with %s denies", async (_, settings, expected, reason) => {
    const found = await decisions(settings);
    expect(found.decisions).toEqual(expected);
    expect(found.reason).toMatch(reason);
    expect(found.reason).toContain("settings.json");
    expect(found.codes).toContain("hook-invalid");
  });

  test.each([
    ["a list of events", { hooks: [group] }, "hook-invalid"],
    ["an event that is not like a known one", { hooks: { BeforeShell: [group] } }, "unknown-event"],
    ["an event that may be a new one", { hooks: { PostToolUseDone: [group] } }, "unknown-event"],
  ])("an entry without a recognizable event is only reported: %s", async (_, settings, code) => {
    expect(await decisions(settings)).toEqual({ decisions: ["none", "none"], reason: undefined, codes: [code] });
  });

  test("a misspelled event without block is only reported", async () => {
    const { decisions: found, codes } = await decisions({
      hooks: { PreTooluse: [{ hooks: [{ type: "command", command: "exit 2" }] }] },
    });
    expect([found, codes]).toEqual([["none", "none"], ["unknown-event"]]);
  });
});

test.each<[string, object, string, readonly string[]]>([
  ["matcher", { matcher: "Bash(", hooks: [g] }, "matcher-invalid", ["deny", "deny"]],
  ["unsafe matcher", { matcher: "(a+)+$", hooks: [g] }, "matcher-unsafe", ["deny", "deny"]],
  ["rule as matcher", { matcher: "Bash(rm *)", hooks: [g] }, "matcher-is-rule", ["deny", "none"]],
  ["rule in lower case", { matcher: "bash(rm *)", hooks: [g] }, "matcher-is-rule", ["deny", "none"]],
  ["rule of one word", { matcher: "Bash(rm)", hooks: [g] }, "matcher-is-rule", ["deny", "none"]],
  ["rule with a pattern", { matcher: "Bash(git-rm.*|x)", hooks: [g] }, "matcher-is-rule", ["deny", "none"]],
  ["several rules", { matcher: "bash(rm *)|Read(.env)", hooks: [g] }, "matcher-is-rule", ["deny", "deny"]],
  ["rule and a name", { matcher: "Bash(rm *)|Edit", hooks: [g] }, "matcher-is-rule", ["deny", "none"]],
  ["name and a rule", { matcher: "Read|Bash(rm *)", hooks: [g] }, "matcher-is-rule", ["deny", "deny"]],
  ["rule of one word and a name", { matcher: "Bash(rm)|Edit", hooks: [g] }, "matcher-is-rule", ["deny", "none"]],
  ["rule in a group", { matcher: "^(Bash(rm *)|Edit)$", hooks: [g] }, "matcher-is-rule", ["deny", "none"]],
  ["rule with a comma", { matcher: "Bash(rm *), Read", hooks: [g] }, "matcher-is-rule", ["deny", "deny"]],
  ["rule that is a glob", { matcher: "Bash(*)|Read", hooks: [g] }, "matcher-is-rule", ["deny", "deny"]],
  ["rule that is not closed", { matcher: "Read|Bash(rm *", hooks: [g] }, "matcher-is-rule", ["deny", "deny"]],
  ["list without a name", { matcher: "|", hooks: [g] }, "matcher-never", ["deny", "deny"]],
  ["condition", { matcher: "Bash", hooks: [{ ...g, if: "Bash((" }] }, "if-invalid", ["deny", "none"]],
  ["empty command", { matcher: "Bash", hooks: [{ ...g, command: "" }] }, "hook-empty", ["deny", "none"]],
  ["blank command", { matcher: "Bash", hooks: [{ ...g, command: "  " }] }, "hook-empty", ["deny", "none"]],
  ["comment", { matcher: "Bash", hooks: [{ ...g, command: "# todo" }] }, "hook-empty", ["deny", "none"]],
])("a guard with an invalid part (%s) fails: it denies, and the part is reported", async (_, group, code, expected) => {
  const found = await decisions({ hooks: { PreToolUse: [group] } });
  expect([found.decisions, found.codes]).toEqual([expected, [code, "hook-invalid"]]);
  expect(found.reason).toMatch(/hooks\.PreToolUse\[0\]\.hooks\[0\] in .*settings\.json cannot be used: /);
  const lax = JSON.parse(JSON.stringify(group).replace('"block"', '"continue"'));
  const without = await decisions({ hooks: { PreToolUse: [lax] } });
  expect([without.decisions, without.codes]).toEqual([["none", "none"], [code]]);
});

test("a rule and a name as matcher: without block the hook runs for the name, and the warning reports the rule", async () => {
  const hook = { type: "command", command: "exit 2" };
  const { engine } = await withUser({ hooks: { PreToolUse: [{ matcher: "Bash(rm *)|Read", hooks: [hook] }] } });
  expect((await engine.fire("PreToolUse", read)).decision).toBe("deny");
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("none");
  expect(engine.warnings.map(({ message }) => message)).toEqual([
    'The matcher "Bash(rm *)|Read" contains a permission rule, and matchers compare names only. Write a group for each of "Bash, Read" and put the rule into "if". The hook never runs for it.',
  ]);
  await engine.close();
});

test.each(["Bash(rm *)|(a+)+$", "Bash(rm /)|mcp__[x"])(
  "a guard with a rule and an expression that cannot be used denies everything: %s",
  async (matcher) => {
    const settings = { hooks: { PreToolUse: [{ matcher, hooks: [g] }] } };
    expect((await decisions(settings)).decisions).toEqual(["deny", "deny"]);
  },
);

test("a guard under an older name of a tool in a rule denies the tool", async () => {
  const { engine } = await withUser({ hooks: { PreToolUse: [{ matcher: "Task(x y)|Edit", hooks: [g] }] } });
  const agent = { ...bash, tool_name: "Agent", tool_input: { prompt: "p" } };
  expect((await engine.fire("PreToolUse", agent)).decision).toBe("deny");
  await engine.close();
});

test("the copy of a hook with more time replaces one that gives up earlier", async () => {
  const slow = { type: "command", command: "sleep 0.3; exit 2" };
  const PreToolUse = [{ hooks: [{ ...slow, timeout: 0.05 }] }, { hooks: [slow] }];
  expect((await decisions({ hooks: { PreToolUse } })).decisions).toEqual(["deny", "deny"]);
});

test.each(["onFailure", "failClosed", "onError"])(
  "%s at the top of a file is reported: it has no effect there",
  async (key) => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "exit 1" }] }] };
    const { engine } = await withUser({ [key]: "block", hooks });
    expect(engine.warnings).toMatchObject([{ code: "settings-invalid", place: expect.stringContaining(`: ${key}`) }]);
    await engine.close();
  },
);

test("an empty list of hooks under block is reported", async () => {
  const { codes } = await decisions({ hooks: { PreToolUse: [{ matcher: "Bash", onFailure: "block", hooks: [] }] } });
  expect(codes).toEqual(["hook-empty"]);
});

test("a guard of a type that its event does not take fails", async () => {
  const hook = { type: "prompt", prompt: "p", onFailure: "block" };
  const { engine } = await withUser({ hooks: { PreCompact: [{ hooks: [hook] }] } });
  const outcome = await engine.fire("PreCompact", { trigger: "manual", custom_instructions: "" });
  expect([outcome.decision, outcome.blocked]).toEqual(["deny", true]);
  expect(outcome.reason).toContain("PreCompact does not take prompt hooks");
  expect(engine.explain("PreCompact", { trigger: "manual" }).hooks).toMatchObject([
    { runs: true, detail: expect.stringContaining("it is not started and denies") },
  ]);
  await engine.close();
});

test("managedHooksOnFailure makes managed entries that cannot be used deny, and the warning names it", async () => {
  const settings = { managedHooksOnFailure: "block", hooks: { UserPromptSubmit: [{ hooks: [{ type: "comand" }] }] } };
  const { engine } = await opened({ "managed/managed-settings.json": settings });
  expect((await engine.fire("UserPromptSubmit", { prompt: "x" })).decision).toBe("deny");
  expect(engine.warnings.map(({ message }) => message)).toEqual([expect.stringContaining("a guard that fails")]);
  await engine.close();
});

test("a reload that adds an entry that cannot be used reports a change", async () => {
  const hooks = [{ type: "command", command: "exit 0" }];
  const { world, engine } = await withUser({ hooks: { PreToolUse: [{ hooks }] } });
  await world.put("home/.claude/settings.json", { hooks: { PreToolUse: [{ hooks: [...hooks, bad] }] } });
  expect((await engine.reload()).changed).toBe(true);
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
  await engine.close();
});

test.each([
  ["permissions.deny", ["Bash(ls*)"], "permissions.deny"],
  ["perms", { deny: ["Bash(ls*)"] }, "perms.deny"],
])("rules under %s are reported and asked about", async (key, value, under) => {
  const { engine } = await withUser({ [key]: value });
  const { policy } = await engine.rules();
  expect(policy.doubtful.map(({ text }) => text)).toEqual([`"Bash(ls*)" under "${under}"`]);
  expect(engine.warnings.map(({ code }) => code)).toEqual(["settings-invalid", "rule-invalid"]);
  await engine.close();
});

test("rules under a misspelled permissions are asked about", async () => {
  const { engine } = await withUser({ Permissions: { deny: ["Bash(ls*)"] } });
  const { policy } = await engine.rules();
  expect(policy.doubtful.map(({ text }) => text)).toEqual(['"Bash(ls*)" under "Permissions.deny"']);
  expect(engine.warnings.map(({ code }) => code)).toEqual(["settings-invalid", "rule-invalid"]);
  await engine.close();
});

test.each([
  [[{ kind: "deny", reason: "x" }]],
  [[{ kind: "ask" }, { decision: "block", reason: "x" }]],
  ['{"decision":"block","reason":"x"}'],
])("a denial in a list or a text that a callback returns counts, with a warning: %j", async (answer) => {
  const { engine } = await opened({});
  engine.on("PreToolUse", "Bash", () => answer as never);
  const { decision, reason, warnings } = await engine.fire("PreToolUse", bash);
  expect([decision, reason]).toEqual(["deny", "x"]);
  expect(warnings.map(({ code }) => code)).toContain("output-repaired");
  await engine.close();
});

test("engine.on reads an inherited onFailure", async () => {
  const { engine } = await opened({});
  const fails = () => {
    throw new Error("no");
  };
  engine.on("PreToolUse", fails, Object.create({ onFailure: "block" }));
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
  expect(() => engine.on("PreToolUse", fails, Object.create({ onFailure: "blok" }))).toThrow('not "blok"');
  await engine.close();
});

test("a guard that fails is not a duplicate of an equal hook that works", async () => {
  const { onFailure: _, ...working } = g;
  const PreToolUse = [
    { matcher: "Bash", hooks: [working] },
    { matcher: "(", hooks: [g] },
  ];
  expect((await decisions({ hooks: { PreToolUse } })).decisions).toEqual(["deny", "deny"]);
});

test("under block an answer in a list is a failure unless it denies", async () => {
  const { engine } = await withUser({});
  const ask = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } } as const;
  engine.on("PreToolUse", (() => [ask, { kind: "dney" }]) as never, { onFailure: "block" });
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("deny");
  await engine.close();
});

test("rules under a misspelled permissions are asked about although permissions has a wrong type", async () => {
  const { engine } = await withUser({ permissions: 5, Permissions: { deny: ["Bash"] } });
  engine.on("PreToolUse", () => ({ kind: "allow" }));
  expect((await engine.fire("PreToolUse", bash)).decision).toBe("ask");
  expect(engine.warnings.map(({ place = "" }) => place.split(": ").at(-1))).toContain("permissions");
  await engine.close();
});
