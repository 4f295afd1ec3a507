import { expect, test } from "vitest";
import type { McpPort, McpResult } from "../ports.ts";
import { runMcpTool } from "./mcp-tool.ts";

const hook = { type: "mcp_tool", server: "guard", tool: "check", input: { c: "${tool_input.command}" } } as const;
const payload = { tool_input: { command: "ls" } };
const call = (port: McpPort, timeoutMs = 60_000) => ({
  payload,
  port,
  timeoutMs,
  signal: new AbortController().signal,
});
const replying =
  (result: unknown): McpPort =>
  async () =>
    result as McpResult;

test("the tool is called with templates filled and its text is kept to be read", async () => {
  const asked: unknown[] = [];
  const port: McpPort = async (ask) => {
    asked.push(ask);
    return { connected: true, text: '{"decision":"block"}', isError: false };
  };
  const ran = await runMcpTool(hook, call(port));
  expect(asked).toEqual([{ server: "guard", tool: "check", input: { c: "ls" } }]);
  expect(ran).toEqual({
    ended: { by: "answered" },
    output: { kind: "body", ok: true, whole: true },
    stdout: '{"decision":"block"}',
    stderr: "",
    warnings: [],
  });
});

test("an error of the tool is a failure that keeps its text", async () => {
  expect(await runMcpTool(hook, call(replying({ connected: true, text: "bad", isError: true })))).toEqual({
    ended: { by: "answered" },
    output: { kind: "body", ok: false, whole: true },
    stdout: "bad",
    stderr: "",
    failure: "MCP tool guard:check answered with an error",
    warnings: [],
  });
});

test("a server that is not connected is a failure, and the warning about a template stays", async () => {
  const ran = await runMcpTool({ ...hook, input: { c: "${nope}" } }, call(replying({ connected: false })));
  expect(ran).toMatchObject({
    ended: { by: "not-started", why: 'MCP server "guard" is not connected' },
    output: { kind: "nothing" },
    failure: 'MCP server "guard" is not connected',
    warnings: [{ code: "template-missing", place: "nope" }],
  });
});

test.each([undefined, null, "text", { connected: true }, { connected: "yes", text: "x" }])(
  "a port that returns %j has no result",
  async (result) => {
    const ran = await runMcpTool(hook, call(replying(result)));
    expect([ran.output, ran.failure]).toEqual([{ kind: "nothing" }, "the MCP port returned no result for guard:check"]);
  },
);

test("a hook without input sends none; errors, silence and floods are bounded", async () => {
  const { input: _, ...bare } = hook;
  const asked: unknown[] = [];
  const failing: McpPort = (ask) => {
    asked.push(ask.input);
    throw new Error("gone");
  };
  expect((await runMcpTool(bare, call(failing))).ended).toEqual({ by: "threw", message: "gone" });
  expect(asked).toEqual([{}]);
  const silent: McpPort = () => new Promise(() => undefined);
  expect((await runMcpTool(bare, call(silent, 10))).ended).toEqual({ by: "timeout", afterMs: 10 });
  const flood = await runMcpTool(
    bare,
    call(replying({ connected: true, text: "x".repeat(1024 * 1024 + 5), isError: false })),
  );
  expect([flood.output, flood.stdout.length, flood.droppedBytes]).toEqual([
    { kind: "body", ok: true, whole: false },
    1024 * 1024,
    { stdout: 5, stderr: 0 },
  ]);
});
