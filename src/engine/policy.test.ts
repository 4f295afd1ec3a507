import { expect, test } from "vitest";
import type { Outcome } from "../protocol/internal.ts";
import { type CheckoutWorld, checkoutWorld, hooksOn } from "./fixtures/checkout.ts";
import { type Engine, type EngineOptions, openEngine } from "./internal.ts";

async function withEngine<T>(
  { options }: CheckoutWorld,
  work: (engine: Engine) => Promise<T>,
  more: Partial<EngineOptions> = {},
): Promise<T> {
  const engine = await openEngine({ ...options, trust: "implicit", ...more });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const frontmatter = (name: string, event: string, word: string): string =>
  `---\nname: ${name}\nhooks:\n  ${event}:\n    - hooks:\n        - type: command\n          command: echo ${word}\n---\n`;

const words = ({ runs }: Outcome): readonly string[] => runs.map(({ stdout }) => stdout.trim());
const skips = ({ skipped }: Outcome): readonly string[] =>
  skipped.map(({ hook, why, detail }) => `${hook.source} ${why} ${detail.split(" in ")[0]}`);

/** A hook on Stop in every layer there is, a session's and two callbacks of the host included. */
async function everyLayer(world: CheckoutWorld, policy: object): Promise<Outcome> {
  const { put, options } = world;
  await put("managed/managed-settings.json", { ...hooksOn("Stop", "echo managed"), ...policy });
  await put("home/.claude/settings.json", hooksOn("Stop", "echo user"));
  await put("project/.claude/settings.json", hooksOn("Stop", "echo project"));
  await put("project/.claude/settings.local.json", hooksOn("Stop", "echo local"));
  await put("plugin/hooks/hooks.json", hooksOn("Stop", "echo plugin"));
  await put("home/.claude/skills/s/SKILL.md", frontmatter("s", "Stop", "skill"));
  await put("home/.claude/agents/a.md", frontmatter("a", "Stop", "agent"));
  const more = { settings: [JSON.stringify(hooksOn("Stop", "echo flag"))], plugins: [`${world.root}/plugin`] };
  return withEngine({ ...world, options: { ...options, ...more } }, async (engine) => {
    const session = engine.session("s1");
    session.useSkill("s");
    session.register("Stop", undefined, { type: "command", command: "echo session" });
    session.register("Stop", undefined, { type: "callback", name: "mine", callback: () => undefined, managed: true });
    engine.on("Stop", function theirs() {
      return undefined;
    });
    return engine.fire("Stop", { session_id: "s1" });
  });
}

test("without policy every layer's hooks run", async () => {
  const outcome = await everyLayer(await checkoutWorld(), {});
  expect(words(outcome)).toEqual(["managed", "user", "project", "local", "flag", "plugin", "skill", "session", "", ""]);
  expect(skips(outcome)).toEqual([]);
});

test("allowManagedHooksOnly keeps managed hooks and callbacks marked so, and drops all others", async () => {
  const outcome = await everyLayer(await checkoutWorld(), { allowManagedHooksOnly: true });
  expect(outcome.runs.map(({ hook }) => hook.name)).toEqual(["echo managed", "mine"]);
  expect(skips(outcome)).toEqual(
    ["user", "project", "local", "flag", "plugin", "skill", "session", "callback"].map(
      (kind) => `${kind} policy allowManagedHooksOnly`,
    ),
  );
});

test("strictPluginOnlyCustomization keeps managed and plugin hooks and what the program itself registered", async () => {
  const outcome = await everyLayer(await checkoutWorld(), { strictPluginOnlyCustomization: true });
  expect(words(outcome)).toEqual(["managed", "plugin", "session", "", ""]);
  expect(skips(outcome)).toEqual(
    ["user", "project", "local", "flag", "skill"].map((kind) => `${kind} policy strictPluginOnlyCustomization`),
  );
});

test("disableAllHooks of managed settings skips every hook", async () => {
  const outcome = await everyLayer(await checkoutWorld(), { disableAllHooks: true });
  expect(outcome.runs).toEqual([]);
  expect(new Set(outcome.skipped.map(({ why }) => why))).toEqual(new Set(["disabled"]));
});

test("an agent's hooks run inside that agent only, and its Stop is the end of the agent", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/agents/a.md", frontmatter("a", "Stop", "ended"));
  await withEngine(world, async (engine) => {
    const stop = (payload: object) => engine.fire("SubagentStop", { session_id: "s", ...payload });
    expect(words(await stop({ agent_id: "1", agent_type: "a" }))).toEqual(["ended"]);
    expect(skips(await stop({ agent_id: "2", agent_type: "b" }))).toEqual([
      'agent matcher it runs inside the agent "a" only',
    ]);
    // Started as the main agent it has no id of its own; nothing ends there.
    expect(words(await stop({ agent_type: "a" }))).toEqual([]);
    expect((await engine.fire("Stop", { session_id: "s" })).skipped).toEqual([]);
  });
});

test("hooks of the agent that a session was started as run in the whole session, and its Stop is the end of a turn", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/agents/a.md", frontmatter("a", "Stop", "ended"));
  await world.put("home/.claude/agents/b.md", frontmatter("b", "PreToolUse", "guarded"));
  const stop = { session_id: "s", agent_type: "a" };
  const call = { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } };
  await withEngine(
    world,
    async (engine) => {
      expect(words(await engine.fire("Stop", stop))).toEqual(["ended"]);
      expect(words(await engine.fire("SubagentStop", { ...stop, agent_id: "1" }))).toEqual(["ended"]);
      expect(words(await engine.fire("SubagentStop", { ...stop, agent_id: "2", agent_type: "Explore" }))).toEqual([]);
      expect(words(await engine.fire("PreToolUse", { ...call, agent_type: "a" }))).toEqual([]);
    },
    { startedAs: "a" },
  );
  await withEngine(
    world,
    async (engine) => {
      expect(words(await engine.fire("Stop", { ...stop, agent_type: "b" }))).toEqual([]);
      for (const inside of [{}, { agent_type: "b" }, { agent_id: "1", agent_type: "Explore" }])
        expect(words(await engine.fire("PreToolUse", { ...call, ...inside }))).toEqual(["guarded"]);
    },
    { startedAs: "b" },
  );
});

test("hooks in the file of an agent run for a teammate of that kind, whose agent_type is its own name", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/agents/a.md", frontmatter("a", "PreToolUse", "guarded"));
  const call = { session_id: "s", agent_id: "1", agent_type: "bob", tool_name: "Bash", tool_input: { command: "ls" } };
  await withEngine(world, async (engine) => expect(words(await engine.fire("PreToolUse", call))).toEqual([]));
  await withEngine(world, async (engine) => expect(words(await engine.fire("PreToolUse", call))).toEqual(["guarded"]), {
    agentKind: ({ agent_id }) => (agent_id === "1" ? "a" : undefined),
  });
});

test("an agent whose name is a number, or has blanks around it, has its hooks", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/agents/a.md", frontmatter("7", "PreToolUse", "digits"));
  await world.put("home/.claude/agents/b.md", frontmatter('" b "', "PreToolUse", "blanks"));
  await withEngine(world, async (engine) => {
    const call = { session_id: "s", agent_id: "1", tool_name: "Bash", tool_input: { command: "ls" } };
    expect(words(await engine.fire("PreToolUse", { ...call, agent_type: "7" }))).toEqual(["digits"]);
    expect(words(await engine.fire("PreToolUse", { ...call, agent_type: "b" }))).toEqual(["blanks"]);
  });
});

test("a skill whose file has another name than its folder has its hooks under either", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/skills/dep/SKILL.md", frontmatter("Deploy Tool", "PreToolUse", "watching"));
  await withEngine(world, async (engine) => {
    for (const [session_id, skill, seen] of [
      ["one", "dep", ["watching"]],
      ["two", "Deploy Tool", ["watching"]],
      ["three", "deploy", []],
    ] as const) {
      engine.session(session_id).useSkill(skill);
      const call = { session_id, tool_name: "Bash", tool_input: { command: "ls" } };
      expect(words(await engine.fire("PreToolUse", call))).toEqual(seen);
    }
  });
});

test("a skill's hooks run from its use to the end of the session that used it", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/skills/deploy/SKILL.md", frontmatter("deploy", "PreToolUse", "watching"));
  await withEngine(world, async (engine) => {
    const call = (session_id: string) =>
      engine.fire("PreToolUse", { session_id, tool_name: "Bash", tool_input: { command: "ls" } });
    expect(skips(await call("one"))).toEqual(['skill matcher it runs once the skill "deploy" was used']);
    engine.session("one").useSkill("deploy");
    expect(words(await call("one"))).toEqual(["watching"]);
    expect(words(await call("two"))).toEqual([]);
    engine.session("one").clear();
    expect(words(await call("one"))).toEqual([]);
  });
});

test("managedHooksOnFailure makes a failed managed guard deny, and no other guard", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/settings.json", hooksOn("PreToolUse", "exit 1"));
  await world.put("managed/managed-settings.json", { managedHooksOnFailure: "block" });
  const decide = () =>
    withEngine(
      world,
      async (engine) =>
        (await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } })).decision,
    );
  expect(await decide()).toBe("none");
  await world.put("managed/managed-settings.json", {
    managedHooksOnFailure: "block",
    ...hooksOn("PreToolUse", "exit 3"),
  });
  expect(await decide()).toBe("deny");
});

test.each([
  ["cannot be read", "{ not json"],
  ["holds a guard that cannot be used", { hooks: { PreToolUse: [{ hooks: [{ type: "command" }] }] } }],
])("while managed settings %s, tool calls never settle below ask", async (_, managed) => {
  const world = await checkoutWorld();
  await world.put("managed/managed-settings.json", managed);
  const payload = { tool_name: "Bash", tool_input: { command: "ls" } };
  await withEngine(world, async (engine) => {
    expect(engine.hasHookFor("PreToolUse")).toBe(true);
    expect(engine.hasHookFor("PostToolUse")).toBe(false);
    const bare = await engine.fire("PreToolUse", payload);
    expect(bare).toMatchObject({
      decision: "ask",
      blocked: false,
      reason: expect.stringContaining("managed-settings"),
    });
    engine.on("PreToolUse", () => ({ kind: "allow" }));
    engine.on("PermissionRequest", () => ({ kind: "allow" }));
    expect((await engine.fire("PreToolUse", payload)).decision).toBe("ask");
    const request = await engine.fire("PermissionRequest", payload);
    expect([request.decision, request.output]).toEqual(["ask", {}]);
    expect((await engine.fire("PostToolUse", { ...payload, tool_response: "" })).decision).toBe("none");
    engine.on("PreToolUse", () => ({ kind: "deny", reason: "no" }));
    expect((await engine.fire("PreToolUse", payload)).decision).toBe("deny");
  });
});

test("a policy key in a layer that may not set it is reported and has no effect", async () => {
  const world = await checkoutWorld();
  await world.put("home/.claude/settings.json", { ...hooksOn("Stop", "echo user"), allowManagedHooksOnly: true });
  await withEngine(world, async (engine) => {
    expect(words(await engine.fire("Stop", {}))).toEqual(["user"]);
    expect(engine.warnings.map(({ code }) => code)).toEqual(["policy-key-ignored"]);
  });
});

test("managedHooksOnFailure decides for callbacks marked as managed too, unless they say otherwise", async () => {
  const world = await checkoutWorld();
  await world.put("managed/managed-settings.json", { managedHooksOnFailure: "block" });
  const failing = (more: object) => ({
    type: "callback" as const,
    callback: () => {
      throw new Error("no");
    },
    ...more,
  });
  const decisionWith = (more: object) =>
    withEngine(world, async (engine) => {
      engine.session("s1").register("PreToolUse", undefined, failing(more));
      return (await engine.fire("PreToolUse", { session_id: "s1", tool_name: "Bash", tool_input: {} })).decision;
    });
  expect(await decisionWith({ managed: true })).toBe("deny");
  expect(await decisionWith({ managed: true, onFailure: "continue" })).toBe("none");
  expect(await decisionWith({})).toBe("none");
});

test("strictPluginOnlyCustomization takes a list: what it names is locked, and nothing else", async () => {
  const locked = async (value: unknown) =>
    skips(await everyLayer(await checkoutWorld(), { strictPluginOnlyCustomization: value })).map((skip) =>
      skip.replace(" policy strictPluginOnlyCustomization", ""),
    );
  const all = ["user", "project", "local", "flag", "skill"];
  expect(await locked(["hooks"])).toEqual(all);
  expect(await locked(["skills", "hooks"])).toEqual(all);
  expect(await locked(["skills"])).toEqual(["skill"]);
  expect(await locked(["mcp"])).toEqual([]);
  expect(await locked(false)).toEqual([]);
});

test("an invalid strictPluginOnlyCustomization counts as true, with a warning", async () => {
  for (const value of ["yes", 1, ["hooks", 5], {}]) {
    const world = await checkoutWorld();
    const outcome = await everyLayer(world, { strictPluginOnlyCustomization: value });
    expect(skips(outcome).length).toBe(5);
    await withEngine(world, async ({ warnings }) => {
      expect(warnings).toMatchObject([
        { code: "settings-invalid", message: expect.stringContaining("counts as true") },
      ]);
    });
  }
});

test("an unknown surface in strictPluginOnlyCustomization locks nothing and is reported", async () => {
  const world = await checkoutWorld();
  expect(skips(await everyLayer(world, { strictPluginOnlyCustomization: ["hook"] }))).toEqual([]);
  await withEngine(world, async ({ warnings }) => {
    expect(warnings).toMatchObject([{ code: "settings-invalid", message: expect.stringContaining('lists "hook"') }]);
  });
});
