import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World } from "../fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const program = join(import.meta.dirname, "fixtures/stdio-server.mjs");
const command = [process.execPath, program];
const mcpServers = {
  srv: { command: process.execPath, args: [program] },
  two: { command: process.execPath, args: [program, "x"] },
  web: { url: "http://127.0.0.1:9/mcp" },
};

interface Given {
  readonly managed?: object;
  readonly managedMcp?: string;
  readonly user?: Record<string, unknown>;
  readonly project?: object;
}

/** The servers that a session has, and the notices about the others. */
async function serversWith({ managed, managedMcp, user = {}, project }: Given) {
  const files = project === undefined ? {} : { ".claude/settings.json": JSON.stringify(project) };
  world = makeWorld({ hooks: {}, settings: user, files });
  const managedFolder = join(world.home, "managed");
  mkdirSync(join(managedFolder, "managed-settings.d"), { recursive: true });
  if (managed) writeFileSync(join(managedFolder, "managed-settings.d", "mcp.json"), JSON.stringify(managed));
  if (managedMcp) writeFileSync(join(managedFolder, "managed-mcp.json"), managedMcp);
  const mcpConfig = [JSON.stringify({ mcpServers })];
  const { events } = await world.run([{ text: "ok" }], { prompt: "go", mcpConfig, managedFolder });
  const names = events.flatMap((event) => (event.kind === "init" ? event.mcpServers.map(({ name }) => name) : []));
  return { names, told: events.flatMap((event) => (event.kind === "notice" ? [event.text] : [])).join("\n") };
}

test.each<[claim: string, given: Given, names: readonly string[]]>([
  ["denied by name", { managed: { deniedMcpServers: [{ serverName: "srv" }] } }, ["two", "web"]],
  ["denied by command", { managed: { deniedMcpServers: [{ serverCommand: command }] } }, ["two", "web"]],
  ["denied by address", { managed: { deniedMcpServers: [{ serverUrl: "http://127.0.0.1:*/mcp" }] } }, ["srv", "two"]],
  ["denied by a project", { project: { deniedMcpServers: [{ serverName: "srv" }] } }, ["two", "web"]],
  ["not on an empty list of policy", { managed: { allowedMcpServers: [] } }, []],
  ["not on the user's list", { user: { allowedMcpServers: [{ serverName: "two" }] } }, ["two"]],
  [
    "allowed by a name where commands are listed",
    { managed: { allowedMcpServers: [{ serverCommand: command }, { serverName: "two" }] } },
    ["srv"],
  ],
  [
    "added by the user to the list of policy",
    { managed: { allowedMcpServers: [{ serverName: "srv" }] }, user: { allowedMcpServers: [{ serverName: "two" }] } },
    ["srv"],
  ],
  ["judged by a list that cannot be read", { managed: { deniedMcpServers: ["srv"] } }, []],
])("an MCP server is not used when it is %s, and the agent reports it", async (_, given, names) => {
  const found = await serversWith(given);
  expect(found.names).toEqual(names);
  expect(found.told).toMatch(/The MCP server \w+ of --mcp-config is not used: "(?:denied|allowed)McpServers" in .*/);
});

test("where managed-mcp.json exists, only its servers are used, and none if it cannot be read", async () => {
  const managedMcp = JSON.stringify({ mcpServers: { ours: mcpServers.srv } });
  const only = await serversWith({ managedMcp });
  expect(only.names).toEqual(["ours"]);
  expect(only.told).toMatch(/Only the MCP servers of \S+managed-mcp.json are used/);
  world.remove();
  const none = await serversWith({ managedMcp: "{" });
  expect(none.names).toEqual([]);
  expect(none.told).toContain("No MCP server is used, because");
});

test("where policy alone may allow servers, the lists of others do not count", async () => {
  const managed = { allowManagedMcpServersOnly: true };
  const user = { allowedMcpServers: [{ serverName: "two" }] };
  expect((await serversWith({ managed, user })).names).toEqual(["srv", "two", "web"]);
  world.remove();
  expect((await serversWith({ user: { ...user, ...managed } })).names).toEqual(["two"]);
});

test("a server of .mcp.json that managed settings switch off is not used", async () => {
  const shared = { ".mcp.json": JSON.stringify({ mcpServers: { srv: mcpServers.srv, two: mcpServers.two } }) };
  world = makeWorld({ hooks: {}, files: shared });
  const managedFolder = join(world.home, "managed");
  mkdirSync(managedFolder);
  writeFileSync(join(managedFolder, "managed-settings.json"), '{"disabledMcpjsonServers":["srv"]}');
  const { events } = await world.run([{ text: "ok" }], { prompt: "go", trust: "implicit", managedFolder });
  const states = events.flatMap((event) => (event.kind === "init" ? event.mcpServers : []));
  expect(states.map(({ name, status }) => [name, status])).toEqual([
    ["srv", "disabled"],
    ["two", "connected"],
  ]);
});
