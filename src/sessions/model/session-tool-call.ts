import { defined, fieldOf, textField } from "../../protocol/internal.ts";
import type { EntryBlock, EntryToolResultBlock } from "./content-block.ts";
import type { AssistantEntry, AttachmentEntry, Entry, UserEntry } from "./entry.ts";
import { textsIn } from "./entry-text.ts";
import type { ModelCall } from "./model-call.ts";

/** How a tool call ended. */
export type ToolStatus = "ok" | "error" | "denied" | "interrupted" | "background" | "deferred" | "open";

/** A tool call with its result, paired by id across all files of the session. */
export interface SessionToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The agent that made the call; absent for the main conversation. */
  readonly agentId: string | undefined;
  readonly call: ModelCall;
  readonly use: AssistantEntry;
  readonly result: UserEntry | undefined;
  /** Content blocks of the result. */
  readonly output: readonly EntryBlock[];
  readonly isError: boolean;
  /** Claude Code's own record of the result: usually an object, text for errors. */
  readonly structured: unknown;
  readonly status: ToolStatus;
  /** It ran in the background: a report ended it, not the result. */
  readonly background: boolean;
  /** The last report of a background call. */
  readonly report: TaskNotification | undefined;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  /** Hook records that name this call. */
  readonly hooks: readonly AttachmentEntry[];
  /** The file with the full output, when the line has only its beginning. The path is not checked yet. */
  readonly spilled: { readonly path: string; readonly sizeBytes?: number } | undefined;
}

/** The records of one call, from which its status follows. */
export interface ToolFacts {
  readonly result: { readonly entry: UserEntry; readonly block: EntryToolResultBlock } | undefined;
  readonly hooks: readonly AttachmentEntry[];
  readonly report: TaskNotification | undefined;
  /** An interrupt line follows before the next answer. */
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
  if (result.block.isError) return interruptFollows || isInterruptResult(result.block) ? "interrupted" : "error";
  if (!runsInBackground(structured)) return "ok";
  if (report === undefined) return "background";
  if (report.status === "failed") return "error";
  return report.status === "killed" || report.status === "stopped" ? "interrupted" : "ok";
}

/** True when the result was written before the call ended. */
export function runsInBackground(structured: unknown): boolean {
  return (
    fieldOf(structured, "isAsync") === true ||
    fieldOf(structured, "status") === "async_launched" ||
    typeof fieldOf(structured, "backgroundTaskId") === "string"
  );
}

export function spilledOutput(structured: unknown): SessionToolCall["spilled"] {
  const path = textField(structured, "persistedOutputPath");
  const size = fieldOf(structured, "persistedOutputSize");
  return path === undefined ? undefined : { path, ...(typeof size === "number" ? { sizeBytes: size } : {}) };
}

function wasDenied(entry: UserEntry, block: EntryToolResultBlock): boolean {
  const kind =
    entry.toolDenialKind ?? block.extra?.["toolDenialKind"] ?? fieldOf(entry.toolUseResult, "toolDenialKind");
  return kind !== undefined && kind !== null;
}

function isInterruptResult(block: EntryToolResultBlock): boolean {
  const first = block.content[0];
  return first?.type === "text" && first.text.startsWith("[Request interrupted by user");
}

/** The notification that a background subagent or task stopped. One task may send several. */
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

/** The notification in an entry: a queue operation, a queued command or a user line. */
export function taskNotificationIn(entry: Entry): TaskNotification | undefined {
  const text = notificationText(entry);
  if (text === undefined || !text.trimStart().startsWith("<task-notification>")) return undefined;
  const taskId = tag(text, "task-id");
  const toolUseId = tag(text, "tool-use-id");
  if (taskId === undefined && toolUseId === undefined) return undefined;
  const status = tag(text, "status");
  const summary = tag(text, "summary");
  const result = tag(text, "result");
  return { ...defined({ taskId, toolUseId, status, summary, result, timestamp: entry.timestamp }), entry };
}

function notificationText(entry: Entry): string | undefined {
  if (entry.kind === "queue-operation") return textField(entry, "content");
  if (entry.kind === "attachment" && entry.type === "queued_command") return textField(entry.fields, "prompt");
  return entry.kind === "user" && entry.role === "notification" ? textsIn(entry.content)[0] : undefined;
}

/** The text of an XML tag. `result` ends at the last closing tag, because its text may contain tags. */
function tag(text: string, name: string): string | undefined {
  const from = text.indexOf(`<${name}>`);
  if (from < 0) return undefined;
  const start = from + name.length + 2;
  const to = name === "result" ? text.lastIndexOf(`</${name}>`) : text.indexOf(`</${name}>`, start);
  return to < start ? undefined : text.slice(start, to);
}
