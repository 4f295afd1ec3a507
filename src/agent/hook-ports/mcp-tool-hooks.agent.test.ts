import { expect, onTestFinished, test } from "vitest";
import { on } from "../../../test/engine/world.ts";
import type { Hook } from "../../protocol/internal.ts";
import { mcpConnector } from "../mcp/connect-servers.ts";
import { fired } from "./fixtures/scripted-ports.ts";

async function connectedServer() {
  const program = `${import.meta.dirname}/../mcp/fixtures/stdio-server.mjs`;
  const mcpServers = { srv: { command: process.execPath, args: [program] } };
  const servers = await mcpConnector()({
    cwd: import.meta.dirname,
    home: import.meta.dirname,
    env: { PATH: process.env["PATH"] },
    configs: [JSON.stringify({ mcpServers })],
    approved: () => ({ state: "new", detail: "" }),
    elicit: async () => ({ action: "cancel" }),
    tell: () => undefined,
    signal: new AbortController().signal,
  });
  onTestFinished(servers.close);
  return servers.port;
}

test("an mcp_tool hook gets the answer of a connected server; a missing or crashing one is a failure", async () => {
  const mcp = await connectedServer();
  const forbids: Hook = { type: "mcp_tool", server: "srv", tool: "deny", input: { q: "${tool_input.command}" } };
  const denied = await fired(on("PreToolUse", forbids), { mcp });
  expect(denied).toMatchObject({ decision: "deny", reason: "the server forbids ls" });
  const crashing = { ...forbids, tool: "crash" };
  const failures = [
    [{ ...forbids, tool: "boom" }, mcp, mcp],
    [{ ...forbids, server: "other" }, mcp, mcp],
    [crashing, await connectedServer(), await connectedServer()],
  ] as const;
  for (const [hook, first, second] of failures) {
    const lax = await fired(on("PreToolUse", hook), { mcp: first });
    expect(lax).toMatchObject({ decision: "none", runs: [{ answer: { failure: expect.any(String) } }] });
    const strict = await fired(on("PreToolUse", { ...hook, onFailure: "block" }), { mcp: second });
    expect(strict).toMatchObject({ decision: "deny", blocked: true });
  }
});
