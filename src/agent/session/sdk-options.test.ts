import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadLayers } from "../../engine/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { RunAgentOptions } from "../agent-options.ts";
import { makeWorld, type Ran, type World } from "../fixtures/agent-run.ts";

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
  const { requests } = await world.run([call, report, { text: "ok" }], { prompt: "go", subagents: { rev } });
  const asked = requests.find(({ purpose }) => purpose === "subagent");
  expect([asked?.system[0], asked?.tools.map(({ name }) => name)]).toEqual(["You review.", ["Read"]]);
  const all = { ...rev, tools: ["*"] };
  const open = await world.run([call, report, { text: "ok" }], { prompt: "go", subagents: { rev: all } });
  expect(open.requests.find(({ purpose }) => purpose === "subagent")?.tools.length).toBeGreaterThan(10);
  const limited = { ...rev, disallowedTools: ["Bash"] } as typeof rev;
  await expect(world.run(ok, { prompt: "go", subagents: { rev: limited } })).rejects.toThrow(
    'The subagent "rev" has no option "disallowedTools". This agent supports description, prompt, tools, model.',
  );
  await expect(world.run(ok, { prompt: "go", subagent: "nobody" })).rejects.toThrow('There is no subagent "nobody".');
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

const custom = (mark: string) => ({
  "commands/say.md": `COMMAND-${mark}`,
  "skills/know/SKILL.md": `---\nname: know\nhooks:\n  Stop:\n    - hooks: [{ type: command, command: "true" }]\n---\nSKILL-${mark}`,
  "agents/rev.md": `---\nname: rev-${mark}\ndescription: reviews\n---\nYou review.`,
});

function customized(): void {
  world = makeWorld({ hooks: {} });
  const folders = { user: join(world.home, ".claude"), project: join(world.project, ".claude") };
  for (const [mark, folder] of Object.entries(folders)) {
    for (const [name, text] of Object.entries(custom(mark))) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }
  const server = JSON.stringify({ mcpServers: { files: { command: "false" } } });
  writeFileSync(join(world.project, ".mcp.json"), server);
  writeFileSync(join(world.home, ".claude.json"), JSON.stringify({ mcpServers: { mine: { command: "false" } } }));
}

/** What a run has of each: the text of `/say`, agents, skills, servers, and the notices. */
async function surfaces(more: Partial<RunAgentOptions>) {
  const { requests, events } = await world.run(ok, { prompt: "/say", ...more });
  const init = events.find((event) => event.kind === "init");
  const said = /COMMAND-(\w+)/.exec(JSON.stringify(requests[0]?.messages))?.[1] ?? "none";
  const notices = events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  const agents = init?.subagents.filter((name) => name.startsWith("rev-"));
  return { said, agents, skills: init?.skills, servers: init?.mcpServers.map(({ name }) => name), notices };
}

test("settingSources covers commands, skills, agents and MCP servers", async () => {
  customized();
  expect(await surfaces({})).toMatchObject({ said: "project", skills: ["know"], servers: ["files", "mine"] });
  expect(await surfaces({ settingSources: ["user"] })).toMatchObject({
    said: "user",
    agents: ["rev-user"],
    servers: ["mine"],
  });
  expect(await surfaces({ settingSources: ["project"] })).toMatchObject({
    said: "project",
    agents: ["rev-project"],
    servers: ["files"],
  });
  expect(await surfaces({ settingSources: [] })).toMatchObject({ said: "none", agents: [], skills: [], servers: [] });
});

test("settingSources covers the hooks of skills and agents", async () => {
  customized();
  const layers = async (settingSources: readonly ("user" | "project")[]) => {
    const places = { cwd: world.project, claudeHome: join(world.home, ".claude"), managedFolder: "/nowhere" };
    const found = await loadLayers({ ...places, settingSources });
    return found.flatMap(({ frontmatter }) => frontmatter?.from ?? []);
  };
  expect(await layers(["user"])).toEqual(["user"]);
  expect(await layers(["project"])).toEqual(["project"]);
  expect(await layers([])).toEqual([]);
});

test.each([
  [["skills"], { said: "none", skills: [], agents: ["rev-user", "rev-project"], servers: ["files", "mine"] }],
  [["agents"], { said: "project", agents: [] }],
  [["mcp"], { said: "project", servers: [] }],
  [true, { said: "none", skills: [], agents: [], servers: [] }],
])("what strictPluginOnlyCustomization %j locks is not used, and the agent reports it", async (locked, left) => {
  customized();
  const managedFolder = join(world.home, "managed");
  mkdirSync(managedFolder, { recursive: true });
  const policy = JSON.stringify({ strictPluginOnlyCustomization: locked });
  writeFileSync(join(managedFolder, "managed-settings.json"), policy);
  const mcpConfig = ['{"mcpServers":{"given":{"command":"false"}}}'];
  const seen = await surfaces({
    managedFolder,
    ...(Array.isArray(locked) && locked[0] !== "mcp" ? {} : { mcpConfig }),
  });
  expect(seen).toMatchObject(left);
  expect(seen.notices.filter((text) => text.includes("strictPluginOnlyCustomization"))).toHaveLength(1);
});
