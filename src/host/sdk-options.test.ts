import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { makeWorld, type Ran, type World } from "./fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const ok = [{ text: "ok", times: "any" as const }];
const names = ({ requests }: Ran) => requests[0]?.tools.map(({ name }) => name) ?? [];

test("tools offers only the named tools, and an unknown name is reported", async () => {
  world = makeWorld({ hooks: {} });
  const ran = await world.run(ok, { prompt: "go", tools: ["Read", "Task", "NotebookEdit"] });
  expect(names(ran)).toEqual(["Read", "Agent"]);
  const notices = ran.events.flatMap((event: AgentEvent) => (event.kind === "notice" ? [event.text] : []));
  expect(notices).toContain("This agent has no tool NotebookEdit.");
  expect(names(await world.run(ok, { prompt: "go", tools: [] }))).toEqual([]);
});

test("disallowedTools takes a whole tool away and denies what a rule covers", async () => {
  world = makeWorld({ hooks: {} });
  const call = { calls: [{ tool: "Bash", input: { command: "rm x" } }] };
  const ran = await world.run([call, { text: "ok" }], {
    prompt: "go",
    permissionMode: "bypassPermissions",
    disallowedTools: ["Write", "Bash(rm *)"],
  });
  expect(names(ran)).not.toContain("Write");
  expect(names(ran)).toContain("Bash");
  expect(ran.result.permission_denials).toMatchObject([{ tool_name: "Bash", tool_input: { command: "rm x" } }]);
});

test("systemPrompt replaces the agent's own prompt, appendSystemPrompt follows it", async () => {
  world = makeWorld({ hooks: {} });
  const own = await world.run(ok, { prompt: "go", appendSystemPrompt: "Be brief." });
  expect(own.requests[0]?.system.slice(0, 2)).toEqual([expect.stringContaining("You are a coding agent"), "Be brief."]);
  const given = await world.run(ok, { prompt: "go", systemPrompt: "You are Bob." });
  expect(given.requests[0]?.system.join()).not.toContain("You are a coding agent");
  expect(given.requests[0]?.system[0]).toBe("You are Bob.");
});

test("agents adds kinds of agents; one that cannot be honored, and an agent that does not exist, are refused by name", async () => {
  world = makeWorld({ hooks: {} });
  const rev = { description: "reviews", prompt: "You review.", tools: ["Read"] };
  const task = { description: "d", prompt: "p", subagent_type: "rev" };
  const call = { calls: [{ tool: "Agent", input: task }] };
  const report = { when: { purpose: "subagent" as const }, text: "fine" };
  const { requests } = await world.run([call, report, { text: "ok" }], { prompt: "go", agents: { rev } });
  const asked = requests.find(({ purpose }) => purpose === "subagent");
  expect([asked?.system[0], asked?.tools.map(({ name }) => name)]).toEqual(["You review.", ["Read"]]);
  const limited = { ...rev, disallowedTools: ["Bash"] } as typeof rev;
  await expect(world.run(ok, { prompt: "go", agents: { rev: limited } })).rejects.toThrow(
    'The agent "rev" has disallowedTools, which this agent does not support.',
  );
  await expect(world.run(ok, { prompt: "go", agent: "nobody" })).rejects.toThrow('There is no agent "nobody".');
});

test("settingSources reads only the named settings and instructions", async () => {
  world = makeWorld({
    hooks: {},
    settings: { model: "of-user", env: { FROM: "user" } },
    files: { "CLAUDE.md": "PROJECT-MARK" },
  });
  mkdirSync(join(world.project, ".claude"), { recursive: true });
  writeFileSync(join(world.project, ".claude", "settings.json"), '{"model":"of-project"}');
  writeFileSync(join(world.home, ".claude", "CLAUDE.md"), "USER-MARK");
  const seen = async (settingSources: readonly ("user" | "project" | "local")[]) => {
    const { requests } = await world.run(ok, { prompt: "go", settingSources, modelFromSettings: true });
    const system = requests[0]?.system.join() ?? "";
    return [requests[0]?.model, system.includes("USER-MARK"), system.includes("PROJECT-MARK")];
  };
  expect(await seen(["user"])).toEqual(["of-user", true, false]);
  expect(await seen(["project"])).toEqual(["of-project", false, true]);
  expect(await seen([])).toEqual(["scripted", false, false]);
});
