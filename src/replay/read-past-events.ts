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
  textsIn,
  type Unreadable,
  type UserEntry,
} from "../sessions/internal.ts";
import {
  inputOf,
  type PastEvent,
  pastEvent,
  type RefusedCall,
  type TranscriptContext,
  type UnreadableLine,
} from "./past-event.ts";

/** The events of one transcript in the order of its lines. Keeps only calls without a result in state. */
export async function* pastEventsIn(
  file: TranscriptFile,
  signal: AbortSignal,
  onOffset: (bytes: number) => void,
): AsyncGenerator<PastEvent | RefusedCall | UnreadableLine, undefined> {
  const state: ReaderState = { open: new Map(), promptId: undefined, permissionMode: undefined, project: undefined };
  const meta = file.meta === undefined ? undefined : readSubagentMeta(file.meta);
  const reader = readEntries(file.path, { signal });
  let last = -1;
  for await (const items of reader) {
    onOffset(reader.lines.cursor.offset);
    for (const item of items) {
      last = item.offset;
      if (item.kind === "unreadable") yield unreadable(item, file);
      else yield* eventsOf(item, state, (entry) => contextOf(entry, file, state, meta?.agentType));
    }
  }
  // The last line is only half written, or nothing ends a line.
  const { cursor, tail, isCut } = reader.lines;
  if (tail !== undefined && last < tail.offset && !isCut)
    yield { name: "unreadable", file: file.path, line: cursor.lines + 1 };
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

/** Limit on calls that wait for a result. */
const mostOpen = 1_000;

type ContextOf = (entry: UserEntry | AssistantEntry) => TranscriptContext;

function* eventsOf(entry: Entry, state: ReaderState, context: ContextOf): Iterable<PastEvent | RefusedCall> {
  state.project ??= entry.cwd;
  if (entry.kind === "permission-mode") state.permissionMode = entry.permissionMode ?? state.permissionMode;
  // A refused call has no result.
  if (entry.kind === "attachment" && isRefusal(entry) && state.open.delete(entry.toolUseId ?? "")) {
    yield { name: "refused-call", toolUseId: entry.toolUseId ?? "" };
  }
  if (entry.kind === "assistant" && isModelCall(entry)) yield* callsIn(entry, state, context(entry));
  if (entry.kind !== "user") return;
  state.promptId = entry.promptId ?? state.promptId;
  state.permissionMode = entry.permissionMode ?? state.permissionMode;
  if (entry.role === "result") yield* resultsIn(entry, state, context(entry));
  // A message from one agent to another is not an event.
  if (entry.role !== "prompt" || entry.isSidechain) return;
  yield pastEvent("UserPromptSubmit", entry, { prompt: textOf(entry.content) }, context(entry));
}

function* callsIn(entry: AssistantEntry, { open }: ReaderState, context: TranscriptContext): Iterable<PastEvent> {
  for (const block of entry.content) {
    if (block.type !== "tool_use") continue;
    const { id, name, input } = block;
    if (open.size >= mostOpen) open.delete(String(open.keys().next().value));
    open.set(id, { name, input, effort: entry.effort });
    const own = { tool_name: name, tool_input: inputOf(input), tool_use_id: id };
    yield pastEvent("PreToolUse", entry, own, { ...context, effort: entry.effort });
  }
}

function* resultsIn(
  entry: UserEntry,
  { open }: ReaderState,
  context: TranscriptContext,
): Generator<PastEvent | RefusedCall, undefined> {
  for (const block of entry.content) {
    const call = block.type === "tool_result" ? open.get(block.toolUseId) : undefined;
    if (block.type !== "tool_result" || call === undefined) continue;
    open.delete(block.toolUseId);
    if (isRefused(entry, block)) {
      yield { name: "refused-call", toolUseId: block.toolUseId };
      continue;
    }
    const own = { tool_name: call.name, tool_input: inputOf(call.input), tool_use_id: block.toolUseId };
    const callContext = { ...context, effort: call.effort };
    if (block.isError) {
      const failed = { ...own, error: failureOf(block), is_interrupt: textOf(block.content).startsWith(interruptMark) };
      yield pastEvent("PostToolUseFailure", entry, failed, callContext);
    } else {
      const structured = entry.toolUseResult;
      const lost = structured === undefined ? ["tool_response (only its text)"] : [];
      const done = { ...own, tool_response: structured ?? textOf(block.content) };
      yield pastEvent("PostToolUse", entry, done, callContext, lost);
    }
  }
}

function contextOf(
  entry: UserEntry | AssistantEntry,
  file: TranscriptFile,
  state: ReaderState,
  agentType: string | undefined,
): TranscriptContext {
  const session = entry.sessionId ?? file.session ?? "";
  const folder = join(file.root.path, "projects", file.project);
  // In an archive, all files of a session are compressed.
  const ending = file.path.endsWith(".gz") ? ".jsonl.gz" : ".jsonl";
  const attributed = entry.kind === "assistant" ? entry.attributionAgent : undefined;
  return {
    session,
    project: state.project,
    transcript: file.agent === undefined ? file.path : join(folder, `${file.session ?? session}${ending}`),
    promptId: state.promptId,
    permissionMode: state.permissionMode,
    agentId: file.agent ?? (entry.isSidechain ? entry.agentId : undefined),
    agentType: agentType ?? attributed,
    effort: undefined,
  };
}

function isRefusal({ type, hookEvent, fields }: AttachmentEntry): boolean {
  if (type === "hook_permission_decision") return fields["decision"] === "deny";
  return type === "hook_blocking_error" && hookEvent === "PreToolUse";
}

function isRefused({ toolDenialKind, toolUseResult }: UserEntry, block: EntryToolResultBlock): boolean {
  if (toolDenialKind != null || toolUseResult === "User rejected tool use") return true;
  return block.isError && textOf(block.content).startsWith("The user doesn't want to proceed with this tool use.");
}

function textOf(content: readonly EntryBlock[]): string {
  return textsIn(content).join("\n");
}

function failureOf(block: EntryToolResultBlock): string {
  return textOf(block.content)
    .replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1")
    .replace(/^Error: /, "");
}

const interruptMark = "[Request interrupted by user";
