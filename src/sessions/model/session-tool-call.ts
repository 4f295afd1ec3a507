import type { AgentReport } from "./agent-reports.ts";
import type { Block, ToolResultBlock } from "./content-block.ts";
import type { AssistantEntry, AttachmentEntry, UserEntry } from "./entry.ts";
import type { Call } from "./model-call.ts";

/** What became of a tool call. */
export type ToolStatus = "ok" | "error" | "denied" | "interrupted" | "background" | "deferred" | "open";

/** A tool call with its result, paired by id over all files of the session. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The agent in whose conversation it was asked for; absent for the main one. */
  readonly agentId: string | undefined;
  readonly call: Call;
  readonly use: AssistantEntry;
  readonly result: UserEntry | undefined;
  /** Content blocks of the result. */
  readonly output: readonly Block[];
  readonly isError: boolean;
  /** What the client noted beside the result: an object as a rule, text for errors. */
  readonly structured: unknown;
  readonly status: ToolStatus;
  /** It went on behind the conversation; a report, not the result, ended it. */
  readonly background: boolean;
  /** The last report of what runs in the background. */
  readonly report: AgentReport | undefined;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  /** Hook records that name this call. */
  readonly hooks: readonly AttachmentEntry[];
  /** The whole output where the line holds only its beginning: the path as written, not yet checked. */
  readonly spilled: { readonly path: string; readonly sizeBytes?: number } | undefined;
}

/** Everything known about one call before its status is decided. */
export interface ToolFacts {
  readonly use: AssistantEntry;
  readonly result: { readonly entry: UserEntry; readonly block: ToolResultBlock } | undefined;
  readonly hooks: readonly AttachmentEntry[];
  readonly report: AgentReport | undefined;
  /** An interrupt line follows in its conversation before any further answer. */
  readonly interruptFollows: boolean;
}

export function statusOf({ result, hooks, report, interruptFollows }: ToolFacts): ToolStatus {
  const structured = result?.entry.toolUseResult;
  if (result !== undefined && wasDenied(result.entry, result.block)) return "denied";
  if (hooks.some((hook) => hook.type === "hook_permission_decision" && hook.fields["decision"] === "deny"))
    return "denied";
  if (fieldOf(structured, "interrupted") === true) return "interrupted";
  if (result === undefined) {
    if (hooks.some((hook) => hook.type === "hook_deferred_tool")) return "deferred";
    return interruptFollows ? "interrupted" : "open";
  }
  if (result.block.isError) return interruptFollows || saysInterrupted(result.block) ? "interrupted" : "error";
  if (!runsInBackground(structured)) return "ok";
  if (report === undefined) return "background";
  if (report.status === "failed") return "error";
  return report.status === "killed" || report.status === "stopped" ? "interrupted" : "ok";
}

/** Started, and answered before it was done. */
export function runsInBackground(structured: unknown): boolean {
  return (
    fieldOf(structured, "isAsync") === true ||
    fieldOf(structured, "status") === "async_launched" ||
    typeof fieldOf(structured, "backgroundTaskId") === "string"
  );
}

export function spilledOf(structured: unknown): ToolCall["spilled"] {
  const path = fieldOf(structured, "persistedOutputPath");
  const size = fieldOf(structured, "persistedOutputSize");
  if (typeof path !== "string") return undefined;
  return { path, ...(typeof size === "number" ? { sizeBytes: size } : {}) };
}

function wasDenied(entry: UserEntry, block: ToolResultBlock): boolean {
  const kind =
    entry.toolDenialKind ?? block.extra?.["toolDenialKind"] ?? fieldOf(entry.toolUseResult, "toolDenialKind");
  return kind !== undefined && kind !== null;
}

function saysInterrupted(block: ToolResultBlock): boolean {
  const first = block.content[0];
  return first?.type === "text" && first.text.startsWith("[Request interrupted by user");
}

export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
