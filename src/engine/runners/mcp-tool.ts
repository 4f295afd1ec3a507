import type { McpToolHook, Warning } from "../../protocol/index.ts";
import type { McpPort } from "../ports.ts";
import { nothingSaid, notStarted, unanswered } from "./ended.ts";
import { keep } from "./keep.ts";
import { type Limit, waitFor } from "./run-limits.ts";
import type { Ran } from "./runner-result.ts";
import { fillTemplates } from "./template.ts";

export interface McpToolCall extends Limit {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly port: McpPort;
}

/** Contract: resolves even if the server never answers; never connects by itself. */
export async function runMcpTool(hook: McpToolHook, call: McpToolCall): Promise<Ran> {
  const { input, warnings } = fillTemplates(hook.input ?? {}, call.payload);
  const ask = { server: hook.server, tool: hook.tool, input };
  const waited = await waitFor(async (signal) => call.port(ask, signal), call);
  if (waited.by !== "answered") return unanswered(waited, call, warnings);
  return read(waited.value, hook, warnings);
}

/** The port is the host's code and is believed no further than its types can be checked. */
function read(result: unknown, hook: McpToolHook, warnings: readonly Warning[]): Ran {
  const { connected, text, isError } = (result ?? {}) as Record<string, unknown>;
  if (connected === false) return notStarted(`MCP server "${hook.server}" is not connected`, warnings);
  if (connected !== true || typeof text !== "string") {
    const failure = `the MCP port gave no result for ${hook.server}:${hook.tool}`;
    return { ...nothingSaid, ended: { by: "answered" }, failure, warnings };
  }
  const kept = keep(text);
  return {
    ended: { by: "answered" },
    said: { kind: "body", ok: isError !== true, whole: kept.dropped === 0 },
    stdout: kept.text,
    stderr: "",
    ...(kept.dropped > 0 ? { droppedBytes: { stdout: kept.dropped, stderr: 0 } } : {}),
    ...(isError === true ? { failure: `MCP tool ${hook.server}:${hook.tool} answered with an error` } : {}),
    warnings,
  };
}
