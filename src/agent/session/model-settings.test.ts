import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Model, scripted } from "../../models/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import { makeWorld, type Ran, type World } from "../fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const clock = (day: string) => ({ now: () => Date.parse(`${day}T12:00:00Z`) });
const ok = [{ text: "ok", times: "any" as const }];

function noticesOf({ events }: Ran): readonly string[] {
  return events.flatMap((event: AgentEvent) => (event.kind === "notice" ? [event.text] : []));
}

test("the end of life of a model is reported once per session, from an injected date", async () => {
  world = makeWorld({ hooks: {} });
  const old = { model: "claude-sonnet-4-5", answers: ok };
  const late = await world.run(old, { prompt: "go", clock: clock("2026-11-16") });
  expect(noticesOf(late).filter((text) => text.includes("end of life"))).toEqual([
    expect.stringContaining("The model claude-sonnet-4-5 reaches its end of life on 2026-11-30, in 15 days."),
  ]);
  const early = await world.run(old, { prompt: "go", clock: clock("2026-01-01") });
  expect(noticesOf(early)).toEqual([]);
});

test("each request and each hook gets the effort; an unknown level is refused by name", async () => {
  world = makeWorld({ hooks: { PreToolUse: {} } });
  const call = { calls: [{ tool: "Bash", input: { command: "true" } }] };
  const { requests } = await world.run([call, { text: "ok" }], { prompt: "go", effort: "xhigh" });
  expect(requests.map(({ effort }) => effort)).toEqual(["xhigh", "xhigh"]);
  expect(world.payloads("PreToolUse")[0]).toMatchObject({ effort: { level: "xhigh" } });
  await expect(world.run(ok, { prompt: "go", effort: "bogus" })).rejects.toThrow(
    '"bogus" is not an effort level. Use low, medium, high, xhigh, max.',
  );
});

test("a model without effort levels gets none, hooks get none, and a requested effort is reported", async () => {
  world = makeWorld({ hooks: { UserPromptSubmit: {}, Stop: {} } });
  const { requests, ran } = await runPlain({ effort: "high" });
  expect(requests[0]).not.toHaveProperty("effort");
  expect(world.payloads("Stop")[0]).not.toHaveProperty("effort");
  expect(noticesOf(ran)).toContain("The model plain has no effort levels; the effort high is not used.");
});

async function runPlain(options: { effort?: string }) {
  const requests: object[] = [];
  const model: Model = {
    name: "plain",
    async *stream(request) {
      requests.push(request);
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite1h: 0, cacheWrite5m: 0 };
      yield {
        type: "end",
        id: "m",
        model: "plain",
        content: [{ type: "text", text: "ok" }],
        usage,
        stopReason: "end_turn",
      };
    },
  };
  return { requests, ran: await world.run(ok, { prompt: "go", model, ...options }) };
}

test("thinking is off by default and sent when it is switched on", async () => {
  world = makeWorld({ hooks: {} });
  const off = await world.run(ok, { prompt: "go" });
  expect(off.requests[0]).not.toHaveProperty("thinkingTokens");
  const on = await world.run(ok, { prompt: "go", maxThinkingTokens: 4_000 });
  expect(on.requests[0]?.thinkingTokens).toBe(4_000);
});

test("the model of settings is used: managed before --settings before local before project before user", async () => {
  world = makeWorld({ hooks: {}, settings: { model: "of-user" } });
  const modelOf = async (more: object = {}) =>
    (await world.run(ok, { prompt: "go", modelFromSettings: true, ...more })).requests[0]?.model;
  expect(await modelOf()).toBe("of-user");
  mkdirSync(join(world.project, ".claude"), { recursive: true });
  writeFileSync(join(world.project, ".claude", "settings.json"), '{"model":"of-project"}');
  expect(await modelOf()).toBe("of-project");
  writeFileSync(join(world.project, ".claude", "settings.local.json"), '{"model":"of-local"}');
  expect(await modelOf()).toBe("of-local");
  expect(await modelOf({ settings: ['{"model":"given"}'] })).toBe("given");
  const managed = join(world.home, "managed");
  mkdirSync(join(managed, "managed-settings.d"), { recursive: true });
  writeFileSync(join(managed, "managed-settings.json"), '{"model":"of-policy"}');
  const policy = { managedFolder: managed, settings: ['{"model":"given"}'] };
  expect(await modelOf(policy)).toBe("of-policy");
  writeFileSync(join(managed, "managed-settings.d", "10-first.json"), '{"model":"of-10"}');
  writeFileSync(join(managed, "managed-settings.d", "20-second.json"), '{"model":"of-20"}');
  writeFileSync(join(managed, "managed-settings.d", "30-none.json"), "{}");
  expect(await modelOf(policy)).toBe("of-20");
  expect(await modelOf({ modelFromSettings: false })).toBe("scripted");
});

test("a project cannot choose the provider", async () => {
  world = makeWorld({ hooks: {}, files: { ".claude/settings.json": '{"model":"scripted:evil.json"}' } });
  const ran = await world.run(ok, { prompt: "go", modelFromSettings: true });
  expect(ran.requests[0]?.model).toBe("scripted");
  expect(noticesOf(ran).join("\n")).toContain('"model" is scripted:evil.json, which a project may not choose');
});

test("a budget reports once a model that it cannot count, because the model has no price", async () => {
  world = makeWorld({ hooks: {} });
  const call = { calls: [{ tool: "Bash", input: { command: "true" } }] };
  const unpriced = { model: "my-own-model", answers: [call, { text: "ok" }] };
  const says = "No price is known for my-own-model: the budget of 0.5 USD does not count its tokens.";
  const ran = await world.run(unpriced, { prompt: "go", maxBudgetUsd: 0.5 });
  expect(noticesOf(ran)).toEqual([says]);
  expect(noticesOf(await world.run(unpriced, { prompt: "go" }))).toEqual([]);
});

test("settings of Claude Code that this agent does not honor are named once, with their file", async () => {
  const settings = {
    enabledPlugins: { "guard@team": true, "other@team": false },
    sandbox: { enabled: true },
    effortLevel: "high",
    alwaysThinkingEnabled: true,
    autoCompactEnabled: true,
  };
  world = makeWorld({ hooks: {}, settings });
  const file = join(world.home, ".claude", "settings.json");
  expect(noticesOf(await world.run(ok, { prompt: "go", effort: "low" }))).toEqual([
    `${file}: this agent does not honor enabledPlugins (hooks of these plugins do not run: use --plugin-dir), sandbox (commands run without a sandbox), alwaysThinkingEnabled (use --thinking adaptive).`,
  ]);
});

test("a policy that this agent does not honor is reported, and not where Claude Code would not read it", async () => {
  const policy = { deniedModels: ["opus"], allowedProviders: ["anthropic"], disableSideloadFlags: true };
  world = makeWorld({ hooks: {}, settings: { allowedProviders: ["anthropic"], disableSideloadFlags: true } });
  expect(noticesOf(await world.run(ok, { prompt: "go" }))).toEqual([]);
  const managed = join(world.home, "managed");
  mkdirSync(managed);
  const file = join(managed, "managed-settings.json");
  writeFileSync(file, JSON.stringify(policy));
  expect(noticesOf(await world.run(ok, { prompt: "go", managedFolder: managed }))).toEqual([
    `${file}: this agent does not honor deniedModels (any model can be chosen), allowedProviders (any provider can be used), disableSideloadFlags (--plugin-dir, --subagents and --mcp-config work).`,
  ]);
});

test("settings without an effect are not reported", async () => {
  const settings = {
    enabledPlugins: { "guard@team": false },
    sandbox: { enabled: false },
    alwaysThinkingEnabled: false,
  };
  world = makeWorld({ hooks: {}, settings });
  expect(noticesOf(await world.run(ok, { prompt: "go" }))).toEqual([]);
});

test("--subagent: a model that was named stays, else the one of the subagent's file is opened", async () => {
  world = makeWorld({ hooks: {} });
  mkdirSync(join(world.home, ".claude/agents"), { recursive: true });
  writeFileSync(join(world.home, ".claude/agents/rev.md"), "---\nname: rev\nmodel: openai:other\n---\nbody");
  const opened: string[] = [];
  const asked = async (modelFromSettings: boolean) => {
    const { requests } = await world.run(ok, {
      prompt: "go",
      subagent: "rev",
      modelFromSettings,
      openModel: async (name) => {
        opened.push(name);
        return { name: "other", stream: (await scripted({ model: "other", answers: ok })).stream };
      },
    });
    return requests.length;
  };
  expect([await asked(false), opened]).toEqual([1, []]);
  expect([await asked(true), opened]).toEqual([0, ["openai:other"]]);
});
