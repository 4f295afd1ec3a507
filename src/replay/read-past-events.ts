import { join } from "node:path";
import {
  type AssistantEntry,
  type AttachmentEntry,
  type Entry,
  type EntryBlock,
  type EntryToolResultBlock,
  isModelCall,
  readEntries,
  readSubagentMeta,
  type TranscriptFile,
  type Unreadable,
  type UserEntry,
} from "../sessions/internal.ts";
import {
  inputOf,
  type PastEvent,
  pastEvent,
  type RefusedThen,
  type TranscriptContext,
  type UnreadableLine,
} from "./past-event.ts";

/** Everything a hook would have been asked about in one transcript, in the order of its lines. Holds only calls that are still open. */
export async function* pastEventsIn(
  file: TranscriptFile,
  signal: AbortSignal,
  readTo: (bytes: number) => void,
): AsyncGenerator<PastEvent | RefusedThen | UnreadableLine, undefined> {
  const memory: ReaderState = { open: new Map(), promptId: undefined, permissionMode: undefined, project: undefined };
  const meta = file.meta === undefined ? undefined : readSubagentMeta(file.meta);
  const reader = readEntries(file.path, { signal });
  for await (const items of reader) {
    readTo(reader.cursor.offset);
    for (const item of items) {
      if (item.kind === "unreadable") yield unreadable(item, file);
      else yield* eventsOf(item, memory, (entry) => around(entry, file, memory, meta?.agentType));
    }
  }
}

function unreadable({ line, why }: Unreadable, { path }: TranscriptFile): UnreadableLine {
  return { name: "unreadable", file: path, line, ...(why === "cut-archive" ? { isCut: true } : {}) };
}

interface ReaderState {
  readonly open: Map<string, { readonly name: string; readonly input: unknown; readonly effort: unknown }>;
  promptId: string | undefined;
  permissionMode: string | undefined;
  project: string | undefined;
}

/** Calls that were never answered must not pile up. */
const mostOpen = 1_000;

type Around = (entry: UserEntry | AssistantEntry) => TranscriptContext;

function* eventsOf(
  entry: Entry,
  memory: ReaderState,
  contextOf: Around,
): Generator<PastEvent | RefusedThen, undefined> {
  memory.project ??= entry.cwd;
  if (entry.kind === "permission-mode") memory.permissionMode = entry.permissionMode ?? memory.permissionMode;
  // A call that was not let through had no end either.
  if (entry.kind === "attachment" && refuses(entry) && memory.open.delete(entry.toolUseId ?? "")) {
    yield { name: "refused-then", toolUseId: entry.toolUseId ?? "" };
  }
  if (entry.kind === "assistant" && isModelCall(entry)) yield* callsIn(entry, memory, contextOf(entry));
  if (entry.kind !== "user") return;
  memory.promptId = entry.promptId ?? memory.promptId;
  memory.permissionMode = entry.permissionMode ?? memory.permissionMode;
  if (entry.role === "result") yield* resultsIn(entry, memory, contextOf(entry));
  // A message from one agent to another is not an event.
  if (entry.role !== "prompt" || entry.isSidechain) return;
  yield pastEvent("UserPromptSubmit", entry, { prompt: textOf(entry.content) }, contextOf(entry));
}

function* callsIn(
  entry: AssistantEntry,
  { open }: ReaderState,
  around: TranscriptContext,
): Generator<PastEvent, undefined> {
  for (const block of entry.content) {
    if (block.type !== "tool_use") continue;
    const { id, name, input } = block;
    if (open.size >= mostOpen) open.delete(String(open.keys().next().value));
    open.set(id, { name, input, effort: entry.effort });
    const own = { tool_name: name, tool_input: inputOf(input), tool_use_id: id };
    yield pastEvent("PreToolUse", entry, own, { ...around, effort: entry.effort });
  }
}

function* resultsIn(
  entry: UserEntry,
  { open }: ReaderState,
  around: TranscriptContext,
): Generator<PastEvent | RefusedThen, undefined> {
  for (const block of entry.content) {
    const call = block.type === "tool_result" ? open.get(block.toolUseId) : undefined;
    if (block.type !== "tool_result" || call === undefined) continue;
    open.delete(block.toolUseId);
    if (isRefused(entry, block)) {
      yield { name: "refused-then", toolUseId: block.toolUseId };
      continue;
    }
    const own = { tool_name: call.name, tool_input: inputOf(call.input), tool_use_id: block.toolUseId };
    const place = { ...around, effort: call.effort };
    if (block.isError) {
      const failed = { ...own, error: failureOf(block), is_interrupt: isInterrupt(block) };
      yield pastEvent("PostToolUseFailure", entry, failed, place);
    } else {
      const structured = entry.toolUseResult;
      const lost = structured === undefined ? ["tool_response (only its text)"] : [];
      const done = { ...own, tool_response: structured ?? textOf(block.content) };
      yield pastEvent("PostToolUse", entry, done, place, lost);
    }
  }
}

function around(
  entry: UserEntry | AssistantEntry,
  file: TranscriptFile,
  memory: ReaderState,
  agentType: string | undefined,
): TranscriptContext {
  const session = entry.sessionId ?? file.session ?? "";
  const folder = join(file.root.path, "projects", file.project);
  // An archive keeps all files of a session compressed.
  const ending = file.path.endsWith(".gz") ? ".jsonl.gz" : ".jsonl";
  const attributed = entry.kind === "assistant" ? entry.attributionAgent : undefined;
  return {
    session,
    project: memory.project,
    transcript: file.agent === undefined ? file.path : join(folder, `${file.session ?? session}${ending}`),
    promptId: memory.promptId,
    permissionMode: memory.permissionMode,
    agentId: file.agent ?? (entry.isSidechain ? entry.agentId : undefined),
    agentType: agentType ?? attributed,
    effort: undefined,
  };
}

function refuses({ type, hookEvent, fields }: AttachmentEntry): boolean {
  if (type === "hook_permission_decision") return fields["decision"] === "deny";
  return type === "hook_blocking_error" && hookEvent === "PreToolUse";
}

function isRefused({ toolDenialKind, toolUseResult }: UserEntry, block: EntryToolResultBlock): boolean {
  if (toolDenialKind != null || toolUseResult === "User rejected tool use") return true;
  return block.isError && textOf(block.content).startsWith("The user doesn't want to proceed with this tool use.");
}

function textOf(content: readonly EntryBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function failureOf(block: EntryToolResultBlock): string {
  return textOf(block.content)
    .replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1")
    .replace(/^Error: /, "");
}

function isInterrupt(block: EntryToolResultBlock): boolean {
  return textOf(block.content).startsWith("[Request interrupted by user");
}
