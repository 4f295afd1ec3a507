import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { processesWith } from "../../../test/engine/world.ts";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

const mark = randomUUID();
const program = join(import.meta.dirname, "fixtures/stdio-server.mjs");
const mcpConfig = [
  JSON.stringify({ mcpServers: { srv: { command: process.execPath, args: [program], env: { IN_AGENT: mark } } } }),
];
const settings = { permissions: { allow: ["mcp__srv"] } };
const calls = (...tools: readonly string[]) => [
  { calls: tools.map((tool) => ({ tool: `mcp__srv__${tool}`, input: { q: "z" } })) },
  { text: "Done." },
];

test("the agent calls a server's tools, hooks see the recorded shape, and no child survives", async () => {
  const { run, payloads } = open({ settings, hooks: { PreToolUse: {}, PostToolUse: {}, PostToolUseFailure: {} } });
  // The crash has a turn of its own: a call in the same turn whose hook takes longer would find the server gone.
  const script = [...calls("do_thing", "boom").slice(0, 1), ...calls("crash")];
  const { result, requests, complaints } = await run(script, { prompt: "go", mcpConfig });
  expect([result.result, complaints]).toEqual(["Done.", []]);
  const seen = (event: "PostToolUse" | "PostToolUseFailure", key: string) =>
    payloads(event).map((payload) => [payload["tool_name"], payload[key]]);
  expect(seen("PostToolUse", "tool_response")).toEqual([
    ["mcp__srv__do_thing", [{ type: "text", text: 'did {"q":"z"}' }]],
  ]);
  expect(seen("PostToolUseFailure", "error").sort()).toEqual([
    ["mcp__srv__boom", "boom!"],
    ["mcp__srv__crash", expect.stringContaining("exit code 3")],
  ]);
  expect(requests[1]?.messages.at(-1)?.content).toContainEqual(
    expect.objectContaining({ content: [{ type: "text", text: 'did {"q":"z"}' }] }),
  );
  expect(processesWith(`IN_AGENT=${mark}`)).toEqual([]);
});

test("a denying hook stops a server's tool as any other", async () => {
  const hooks = { PreToolUse: { matcher: "mcp__.*", stderr: "not that server", exit: 2 }, PostToolUse: {} };
  const { run, payloads } = open({ settings, hooks });
  const { result, requests } = await run(calls("do_thing"), { prompt: "go", mcpConfig });
  expect(result.permission_denials).toMatchObject([{ tool_name: "mcp__srv__do_thing" }]);
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("not that server");
  expect(payloads("PostToolUse")).toEqual([]);
});

test("an mcp_tool hook of the agent asks the session's server", async () => {
  const { run } = open({ settings: { permissions: { allow: ["Bash"] } }, hooks: {} });
  const input = { q: "${tool_input.command}" };
  const hooks = { PreToolUse: [{ hooks: [{ type: "mcp_tool", server: "srv", tool: "deny", input }] }] };
  const script = [{ calls: [{ tool: "Bash", input: { command: "rm a" } }] }, { text: "Done." }];
  const { requests } = await run(script, { prompt: "go", mcpConfig, settings: [JSON.stringify({ hooks })] });
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("the server forbids rm a");
});

const says = (event: string, answer: object) => ({
  print: { hookSpecificOutput: { hookEventName: event, ...answer } },
});

test("Elicitation, ElicitationResult: a hook answers a server's form, or changes what the user answered", async () => {
  const first = open({
    settings,
    hooks: {
      Elicitation: says("Elicitation", { action: "accept", content: { name: "Ada" } }),
      ElicitationResult: {},
      PostToolUse: {},
    },
  });
  await first.run(calls("ask_user"), { prompt: "go", mcpConfig });
  expect(first.payloads("Elicitation")).toMatchObject([
    { mcp_server_name: "srv", message: "What is your name?", mode: "form", requested_schema: { type: "object" } },
  ]);
  expect(first.payloads("ElicitationResult")).toEqual([]);
  expect(first.payloads("PostToolUse")).toMatchObject([
    { tool_response: [{ text: '{"elicited":{"action":"accept","content":{"name":"Ada"}}}' }] },
  ]);
  first.remove();

  const second = open({
    settings,
    hooks: { ElicitationResult: says("ElicitationResult", { action: "decline" }), PostToolUse: {}, Notification: {} },
  });
  await second.run(calls("ask_user"), { prompt: "go", mcpConfig });
  expect(second.payloads("ElicitationResult")).toMatchObject([{ mcp_server_name: "srv", action: "cancel" }]);
  expect(second.payloads("PostToolUse")).toMatchObject([
    { tool_response: [{ text: '{"elicited":{"action":"decline"}}' }] },
  ]);
});

test("an interrupt during a call that hangs ends the call and the server", async () => {
  const { run, payloads } = open({ settings, hooks: { PreToolUse: {}, PostToolUseFailure: {} } });
  const stop = new AbortController();
  const watch = setInterval(() => {
    if (payloads("PreToolUse").length === 0) return;
    clearInterval(watch);
    stop.abort();
  }, 20);
  const { result } = await run(calls("hang").slice(0, 1), { prompt: "go", mcpConfig, signal: stop.signal });
  expect(result).toMatchObject({ terminal_reason: "interrupted" });
  expect(processesWith(`IN_AGENT=${mark}`)).toEqual([]);
});

test("a server of a checkout that is not approved is not started, and the user gets a notice", async () => {
  const touch = { command: process.execPath, args: ["-e", "require('fs').writeFileSync('canary', '')"] };
  const { run, project } = open({ hooks: {}, files: { ".mcp.json": JSON.stringify({ mcpServers: { ours: touch } }) } });
  const { events } = await run([{ text: "Done." }], { prompt: "go" });
  expect(existsSync(join(project, "canary"))).toBe(false);
  expect(events).toContainEqual(
    expect.objectContaining({ kind: "init", mcpServers: [{ name: "ours", status: "untrusted" }] }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({ kind: "notice", text: expect.stringMatching(/ours of .* not approved yet/) }),
  );
});
