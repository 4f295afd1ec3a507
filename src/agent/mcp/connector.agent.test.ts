import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call, connected, connectIn, folders, never, program, srv } from "./fixtures/connected.ts";

async function startHttpServer(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "fixtures/http-server.mjs")]);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return chunk.toString("utf8").trim();
}

/** A zombie process counts as dead. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false; // no such process any more
  }
}

test("a server that crashes is a tool error, then and afterwards", async () => {
  const { servers, told } = await connected({ srv });
  const during = await call(servers, "mcp__srv__crash");
  expect(during).toMatchObject({ isError: true, interrupted: false });
  expect(during.content).toContain("exit code 3");
  const after = await call(servers, "mcp__srv__do_thing");
  expect(after).toMatchObject({ isError: true, content: expect.stringContaining("is not connected") });
  expect(servers.states).toEqual([{ name: "srv", status: "failed" }]);
  expect(await servers.port({ server: "srv", tool: "do_thing", input: {} }, never)).toEqual({ connected: false });
  expect(told).toEqual(["The MCP server srv has exited: it ended with exit code 3. It printed: out of luck"]);
});

test("a call that hangs ends with its signal, or with its limit", async () => {
  const { servers } = await connected({ srv }, { env: { ...process.env, MCP_TOOL_TIMEOUT: "300" } });
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  expect(await call(servers, "mcp__srv__hang", {}, stop.signal)).toEqual({
    isError: true,
    content: "The call was interrupted.",
    interrupted: true,
  });
  expect((await call(servers, "mcp__srv__hang")).content).toContain("did not answer");
});

test("closing ends every child, those that a server started included", async () => {
  const { servers } = await connected({ srv, other: srv });
  const { content } = await call(servers, "mcp__srv__start_child");
  const pid = Number((content as readonly { readonly text: string }[])[0]?.text);
  expect(isAlive(pid)).toBe(true);
  await servers.close();
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("a server gets none of our keys, only what its configuration names", async () => {
  const { servers } = await connected(
    { srv: { ...srv, env: { OWN: "${SOME_KEY}-x", D: "${NOT_SET:-usual}" } } },
    {
      env: { ...process.env, SOME_KEY: "k", ANTHROPIC_API_KEY: "secret" },
    },
  );
  const { content } = await call(servers, "mcp__srv__environment");
  const env = JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? "");
  expect(env).toMatchObject({ OWN: "k-x", D: "usual", PATH: process.env["PATH"] });
  expect(Object.keys(env)).not.toContain("ANTHROPIC_API_KEY");
  expect(Object.keys(env)).not.toContain("SOME_KEY");
});

test("tools that a server adds later are listed", async () => {
  const { servers } = await connected({ srv });
  const before = servers.tools.length;
  await call(servers, "mcp__srv__one_more");
  await expect.poll(() => servers.tools.length).toBe(before + 1);
});

test("a server over streamable HTTP answers calls and gets the headers of its configuration", async () => {
  const url = await startHttpServer();
  const headers = { Authorization: "Bearer ${T}" };
  const { servers } = await connected({ web: { type: "http", url, headers } }, { env: { T: "token-1" } });
  const answerOf = async (tool: string, input = {}) => (await call(servers, `mcp__web__${tool}`, input)).content;
  expect([await answerOf("do_thing", { q: "a" }), await answerOf("ask_user"), await answerOf("authorization")]).toEqual(
    [
      [{ type: "text", text: 'did {"q":"a"}' }],
      [{ type: "text", text: '{"elicited":{"action":"cancel"}}' }],
      [{ type: "text", text: "Bearer token-1" }],
    ],
  );
});

test("servers that do not start are states with a message each, and the others work", async () => {
  const { servers, told } = await connected({
    srv,
    gone: { command: "no-such-program-here" },
    silent: { ...srv, args: [program, "silent"] },
    nowhere: { type: "http", url: "http://127.0.0.1:1/mcp" },
    old: { type: "sse", url: "http://127.0.0.1:1/sse" },
    unset: { command: "${NOT_SET_ANYWHERE}" },
    "srv!": srv,
    "srv?": srv,
  });
  expect(servers.states).toEqual([
    { name: "srv", status: "connected" },
    { name: "gone", status: "failed" },
    { name: "silent", status: "failed" },
    { name: "nowhere", status: "failed" },
    { name: "old", status: "failed" },
    { name: "unset", status: "failed" },
    { name: "srv!", status: "connected" },
  ]);
  const sentences = told.sort().join("\n");
  expect(sentences).toContain('The MCP server "srv?" is skipped: its tools would have the names of "srv!".');
  expect(sentences).toMatch(/server gone of --mcp-config did not start: .*no-such-program-here/);
  expect(sentences).toMatch(/server silent of .* exit code 7. It printed: cannot find my configuration/);
  expect(sentences).toContain('servers of type "sse" are not supported');
  expect(sentences).toContain("not set in the environment, and without a default: NOT_SET_ANYWHERE");
  expect((await call(servers, "mcp__srv__do_thing")).isError).toBe(false);
});

test("an unapproved project server does not keep out a user's server with the same tool prefix", async () => {
  const places = await folders();
  await writeFile(join(places.cwd, ".mcp.json"), JSON.stringify({ mcpServers: { "my.guard": srv } }));
  await mkdir(join(places.home, ".claude"));
  await writeFile(join(places.home, ".claude/settings.json"), JSON.stringify({ mcpServers: { my_guard: srv } }));
  const { servers } = await connectIn(places);
  expect(servers.states).toEqual([
    { name: "my.guard", status: "untrusted" },
    { name: "my_guard", status: "connected" },
  ]);
  const asked = await servers.port({ server: "my_guard", tool: "do_thing", input: { q: "z" } } as never, never);
  expect(asked).toMatchObject({ connected: true, isError: false });
});

test("a tool whose name reads as a tool of another server is skipped and reported", async () => {
  const only = (name: string, words: string) => ({ ...srv, args: [program, "only", name, words] });
  const { servers, told } = await connected({ a: only("b__c", "I am a"), a__b: only("c", "I am a__b") });
  expect(servers.tools.map(({ name }) => name)).toEqual(["mcp__a__b__c"]);
  expect((await call(servers, "mcp__a__b__c")).content).toEqual([{ type: "text", text: "I am a__b" }]);
  expect(told).toEqual([
    'The tool "b__c" of the MCP server "a" is skipped as mcp__a__b__c: that reads as a tool of the server "a__b". Give one of the two servers another name.',
  ]);
  const asked = await servers.port({ server: "a", tool: "b__c", input: {} }, never);
  expect(asked).toEqual({ connected: true, text: "I am a", isError: false });
});

test("the connection to a server that never responds is aborted", async () => {
  const slow = { ...srv, args: [program, "slow"] };
  const { servers, told } = await connected({ slow }, { env: { ...process.env, MCP_TIMEOUT: "300" } });
  expect(servers.states).toEqual([{ name: "slow", status: "failed" }]);
  expect(told).toEqual([expect.stringMatching(/server slow of --mcp-config did not start: .*timed out/i)]);
});
