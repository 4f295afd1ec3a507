import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Problem } from "../../protocol/internal.ts";
import { type FoundServers, findServers, type ServerPlaces } from "./find-servers.ts";
import { readServerConfig } from "./server-config.ts";

const named = (command: string) => ({ command });

test("each name is taken once: command line, local settings, the folder's own entry, .mcp.json, project, user", async () => {
  const places = await folders({
    "project/.claude/settings.local.json": { mcpServers: { b: named("local"), a: named("local") } },
    "home/.claude.json": {
      mcpServers: { f: named("state"), e: named("state") },
      projects: {
        "{project}": { mcpServers: { c: named("here"), b: named("here") } },
        "/other": { mcpServers: { x: {} } },
      },
    },
    "project/.mcp.json": { mcpServers: { d: named("shared"), c: named("shared") } },
    "project/.claude/settings.json": { mcpServers: { d: named("project") } },
    "home/.claude/settings.json": { mcpServers: { e: named("person"), d: named("person") } },
  });
  const configs = [JSON.stringify({ mcpServers: { a: named("flag") } })];
  const found = await findServers({ ...places, configs, approved: () => ({ state: "trusted", detail: "" }) });
  expect(commandsOf(found)).toEqual({ a: "flag", b: "local", c: "here", d: "shared", e: "person", f: "state" });
});

test("a server of a checkout waits for approval, whatever its settings claim, and takes no name from another", async () => {
  const places = await folders({
    "project/.mcp.json": { mcpServers: { mine: named("stranger"), theirs: named("stranger"), off: named("stranger") } },
    "project/.claude/settings.json": {
      enableAllProjectMcpServers: true,
      enabledMcpjsonServers: ["theirs"],
      disabledMcpjsonServers: ["mine"],
      mcpServers: { third: named("stranger") },
    },
    "home/.claude/settings.json": { mcpServers: { mine: named("person") }, disabledMcpjsonServers: ["off"] },
  });
  expect(commandsOf(await findServers(places))).toEqual({
    mine: "person",
    theirs: "untrusted",
    off: "off",
    third: "untrusted",
  });
});

test("a project that disables its own server does not disable a user's server of that name", async () => {
  const places = await folders({
    "project/.mcp.json": { mcpServers: { guard: named("stranger") } },
    "project/.claude/settings.local.json": { disabledMcpjsonServers: ["guard"] },
    "home/.claude/settings.json": { mcpServers: { guard: named("person") } },
  });
  expect(commandsOf(await findServers(places))).toEqual({ guard: "person" });
});

test("what is approved is judged as it is written, before its variables are filled in", async () => {
  const places = await folders({ "project/.mcp.json": { mcpServers: { s: { command: "${P}" } } } });
  const judged: unknown[] = [];
  const found = await findServers({
    ...places,
    env: { P: "node" },
    approved: (server) => {
      judged.push(server);
      return { state: "trusted", detail: "" };
    },
  });
  expect(judged).toEqual([{ file: join(places.cwd, ".mcp.json"), name: "s", config: { command: "${P}" } }]);
  expect(commandsOf(found)).toEqual({ s: "node" });
});

test("a file that the caller names must be usable; any other unusable file is only reported", async () => {
  const places = await folders({ "project/.mcp.json": "{ no json" });
  const { servers, warnings } = await findServers(places);
  expect([servers, warnings]).toEqual([
    [],
    [expect.stringContaining(".mcp.json cannot be read for MCP servers: line 1")],
  ]);
  const none = join(places.cwd, "none.json");
  await expect(findServers({ ...places, configs: ["none.json"] })).rejects.toEqual(
    new Problem("mcp/bad-config", `${none} configures no MCP servers: there is no such file`, {
      about: { from: none },
    }),
  );
  await expect(findServers({ ...places, configs: ["{}"] })).rejects.toMatchObject({ code: "mcp/bad-config" });
});

test("a config is read with its variables filled in, or the reason why it cannot be used", () => {
  const env = { HOME: "/h", NESTED: "${HOME}" };
  const read = (value: unknown) => readServerConfig(value, env);
  expect(read({ command: "${HOME}/x", args: ["${A:-b}", "${NESTED}"], env: { K: "$HOME ${HOME}" } })).toEqual({
    kind: "stdio",
    command: "/h/x",
    args: ["b", "${HOME}"],
    env: { K: "$HOME /h" },
  });
  expect(read({ url: "https://x.example/${A:-mcp}", headers: { a: "${HOME}" } })).toEqual({
    kind: "http",
    url: "https://x.example/mcp",
    headers: { a: "/h" },
  });
  const wrong = [
    7,
    [],
    {},
    { command: "" },
    { command: "a", args: "b" },
    { command: "a", args: [1] },
    { command: "a", env: { b: 1 } },
    { command: "${NOPE}" },
    { type: "sse", url: "http://a.example" },
    { type: "http", url: "file:///etc/passwd" },
    { url: "http://" },
    { url: "http://a.example", headers: [1] },
  ];
  expect(wrong.map((value) => read(value).kind)).toEqual(wrong.map(() => "unusable"));
});

function commandsOf({ servers }: FoundServers): Record<string, string> {
  return Object.fromEntries(
    servers.map(({ name, config }) => [name, config.kind === "stdio" ? config.command : config.kind]),
  );
}

async function folders(files: Readonly<Record<string, unknown>>): Promise<ServerPlaces> {
  const root = await mkdtemp(join(tmpdir(), "servers-"));
  const [cwd, home] = [join(root, "project"), join(root, "home")];
  for (const [name, value] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    const text = typeof value === "string" ? value : JSON.stringify(value).replaceAll("{project}", cwd);
    await writeFile(join(root, name), text);
  }
  return {
    cwd,
    home,
    env: {},
    configs: [],
    approved: () => ({ state: "new", detail: "not approved yet" }),
  };
}
