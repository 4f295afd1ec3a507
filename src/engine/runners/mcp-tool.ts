import type { McpToolHook, ToolInput, Warning } from "../../protocol/internal.ts";
import type { McpPort } from "../ports.ts";
import { type Limit, waitFor } from "./run-limits.ts";
import {
  droppedFromStdout,
  emptyOutput,
  failedResult,
  type RunnerResult,
  resultNotStarted,
  resultWithoutAnswer,
  truncateUtf8,
} from "./runner-result.ts";

export interface McpToolCall extends Limit {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly port: McpPort;
}

/** Contract: resolves even if the server never answers; never connects by itself. */
export async function runMcpTool(hook: McpToolHook, call: McpToolCall): Promise<RunnerResult> {
  const { input, warnings } = fillTemplates(hook.input ?? {}, call.payload);
  const ask = { server: hook.server, tool: hook.tool, input };
  const waited = await waitFor(async (signal) => call.port(ask, signal), call);
  if (waited.by !== "answered") return resultWithoutAnswer(waited, call, warnings);
  return readMcpResult(waited.value, hook, warnings);
}

/** The port is the host's code and is untrusted: only values of the right type are used. */
function readMcpResult(result: unknown, hook: McpToolHook, warnings: readonly Warning[]): RunnerResult {
  const { connected, text, isError } = (result ?? {}) as Record<string, unknown>;
  if (connected === false) return resultNotStarted(`MCP server "${hook.server}" is not connected`, warnings);
  const name = `${hook.server}:${hook.tool}`;
  if (connected !== true || typeof text !== "string") {
    return failedResult({ by: "answered" }, `the MCP port returned no result for ${name}`, warnings);
  }
  const kept = truncateUtf8(text);
  return {
    ...emptyOutput,
    ended: { by: "answered" },
    output: { kind: "body", ok: isError !== true, whole: kept.dropped === 0 },
    stdout: kept.text,
    droppedBytes: droppedFromStdout(kept.dropped),
    failure: isError === true ? `MCP tool ${name} answered with an error` : undefined,
    warnings,
  };
}

/**
 * An input with `${path.to.field}` in its texts replaced from the payload. A text that is one template and nothing else takes the
 * value with its type; a path that does not exist becomes an empty string, with a warning.
 */
export function fillTemplates(input: ToolInput, payload: Readonly<Record<string, unknown>>) {
  const missing = new Set<string>();
  const filled = fill(input, 0, (path) => {
    const value = valueAt(payload, path);
    if (value === undefined) missing.add(path);
    return value;
  });
  return { input: filled as ToolInput, warnings: [...missing].map(templateMissing) };
}

function templateMissing(path: string): Warning {
  const message = `\${${path}} in the hook's input refers to a field that is missing in the payload; the placeholder was replaced with nothing.`;
  return { code: "template-missing", message, place: path };
}

type Find = (path: string) => unknown;

const template = /\$\{([^{}]+)\}/g;
const onlyTemplate = /^\$\{([^{}]+)\}$/;
/** Settings nested deeper than any tool's input are passed on as they are. */
const mostDepth = 100;

function fill(value: unknown, depth: number, find: Find): unknown {
  if (typeof value === "string") return fillText(value, find);
  if (typeof value !== "object" || value === null || depth === mostDepth) return value;
  if (Array.isArray(value)) return value.map((item) => fill(item, depth + 1, find));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, depth + 1, find)]));
}

function fillText(text: string, find: Find): unknown {
  const path = onlyTemplate.exec(text)?.[1];
  if (path !== undefined) {
    const value = find(path.trim());
    return value === undefined ? "" : value;
  }
  return text.replace(template, (_, inner: string) => asText(find(inner.trim())));
}

function asText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Own fields and list places only: a path never leads to what an object inherits. */
function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
