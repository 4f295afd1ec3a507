import { defined, fieldOf } from "../../protocol/internal.ts";
import type { EntryBlock, EntryToolResultBlock } from "./content-block.ts";
import type { AssistantEntry, AttachmentEntry, Entry, UserEntry } from "./entry.ts";
import type { ModelCall } from "./model-call.ts";

/** What became of a tool call. */
export type ToolStatus = "ok" | "error" | "denied" | "interrupted" | "background" | "deferred" | "open";

/** A tool call with its result, paired by id over all files of the session. */
export interface SessionToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The agent in whose conversation it was asked for; absent for the main one. */
  readonly agentId: string | undefined;
  readonly call: ModelCall;
  readonly use: AssistantEntry;
  readonly result: UserEntry | undefined;
  /** Content blocks of the result. */
  readonly output: readonly EntryBlock[];
  readonly isError: boolean;
  /** The client's own record of the result: usually an object, text for errors. */
  readonly structured: unknown;
  readonly status: ToolStatus;
  /** It went on behind the conversation; a report, not the result, ended it. */
  readonly background: boolean;
  /** The last report of what runs in the background. */
  readonly report: TaskNotification | undefined;
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
  readonly result: { readonly entry: UserEntry; readonly block: EntryToolResultBlock } | undefined;
  readonly hooks: readonly AttachmentEntry[];
  readonly report: TaskNotification | undefined;
  /** An interrupt line follows in its conversation before any further answer. */
  readonly interruptFollows: boolean;
}

export function toolStatus({ result, hooks, report, interruptFollows }: ToolFacts): ToolStatus {
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

export function spilledOutput(structured: unknown): SessionToolCall["spilled"] {
  const path = fieldOf(structured, "persistedOutputPath");
  const size = fieldOf(structured, "persistedOutputSize");
  if (typeof path !== "string") return undefined;
  return { path, ...(typeof size === "number" ? { sizeBytes: size } : {}) };
}

function wasDenied(entry: UserEntry, block: EntryToolResultBlock): boolean {
  const kind =
    entry.toolDenialKind ?? block.extra?.["toolDenialKind"] ?? fieldOf(entry.toolUseResult, "toolDenialKind");
  return kind !== undefined && kind !== null;
}

function saysInterrupted(block: EntryToolResultBlock): boolean {
  const first = block.content[0];
  return first?.type === "text" && first.text.startsWith("[Request interrupted by user");
}

/** The notification of a background subagent or task that stopped. There can be several. */
export interface TaskNotification {
  readonly taskId?: string;
  readonly toolUseId?: string;
  /** `completed`, `failed`, `killed`, …; as written. */
  readonly status?: string;
  readonly summary?: string;
  readonly result?: string;
  readonly timestamp?: string;
  readonly entry: Entry;
}

/** The report in an entry: a queue operation, a queued command or a user line may carry it. */
export function taskNotificationIn(entry: Entry): TaskNotification | undefined {
  const text = notificationText(entry);
  if (text === undefined || !text.trimStart().startsWith("<task-notification>")) return undefined;
  const taskId = tag(text, "task-id");
  const toolUseId = tag(text, "tool-use-id");
  if (taskId === undefined && toolUseId === undefined) return undefined;
  const status = tag(text, "status");
  const summary = tag(text, "summary");
  const result = tag(text, "result");
  return {
    ...defined({ taskId, toolUseId, status, summary, result, timestamp: entry.timestamp }),
    entry,
  };
}

function notificationText(entry: Entry): string | undefined {
  if (entry.kind === "queue-operation") return typeof entry.content === "string" ? entry.content : undefined;
  if (entry.kind === "attachment" && entry.type === "queued_command") {
    const prompt = entry.fields["prompt"];
    return typeof prompt === "string" ? prompt : undefined;
  }
  if (entry.kind !== "user" || entry.role !== "notification") return undefined;
  const first = entry.content.find((block) => block.type === "text");
  return first?.type === "text" ? first.text : undefined;
}

/** The text between a tag and its end; the last end counts for `result`, which may quote anything. */
function tag(text: string, name: string): string | undefined {
  const from = text.indexOf(`<${name}>`);
  if (from < 0) return undefined;
  const start = from + name.length + 2;
  const to = name === "result" ? text.lastIndexOf(`</${name}>`) : text.indexOf(`</${name}>`, start);
  return to < start ? undefined : text.slice(start, to);
}
