import { groupBy, textField } from "../../protocol/internal.ts";
import type { EntryToolResultBlock, EntryToolUseBlock } from "./content-block.ts";
import type { AssistantEntry, AttachmentEntry, Entry, UserEntry } from "./entry.ts";
import { callKey, isModelCall, type ModelCall } from "./model-call.ts";
import {
  runsInBackground,
  type SessionToolCall,
  spilledOutput,
  type TaskNotification,
  type ToolFacts,
  taskNotificationIn,
  toolStatus,
} from "./session-tool-call.ts";
import type { ConversationDraft } from "./transcript-conversation.ts";

export interface PairedTools {
  /** In the order of the drafts, then of the lines. */
  readonly toolCalls: readonly SessionToolCall[];
  readonly byId: ReadonlyMap<string, SessionToolCall>;
  of(draft: ConversationDraft): readonly SessionToolCall[];
  /** All reports of background agents, in order. */
  readonly reports: readonly TaskNotification[];
  /** Results without a call in this session. */
  readonly loneResults: readonly UserEntry[];
}

/** Pairs each tool_use with its tool_result by id, across all conversations of a session. */
export function pairTools(drafts: readonly ConversationDraft[]): PairedTools {
  const records: ToolRecords = { results: new Map(), hooks: [], reports: [], interrupted: new Set() };
  for (const draft of drafts) collect(draft, records);
  const { results, reports, interrupted } = records;
  const hooks = groupBy(records.hooks, ({ toolUseId }) => toolUseId);
  const lastReport = new Map(reports.map((report) => [report.toolUseId, report]));
  const byId = new Map<string, SessionToolCall>();
  const byDraft = new Map<ConversationDraft, SessionToolCall[]>();
  for (const draft of drafts) {
    const own: SessionToolCall[] = [];
    byDraft.set(draft, own);
    for (const [block, use, call] of usesIn(draft)) {
      const { id } = block;
      if (byId.has(id)) continue;
      const facts = {
        result: results.get(id),
        hooks: hooks.get(id) ?? none,
        report: lastReport.get(id),
        interruptFollows: interrupted.has(id),
      };
      const tool = toToolCall(block, { agentId: draft.agentId, call, use }, facts);
      byId.set(id, tool);
      own.push(tool);
    }
  }
  const loneResults = [...results].filter(([id]) => !byId.has(id)).map(([, { entry }]) => entry);
  return { toolCalls: [...byId.values()], byId, of: (draft) => byDraft.get(draft) ?? [], reports, loneResults };
}

const none: readonly never[] = [];

interface ToolRecords {
  readonly results: Map<string, { entry: UserEntry; block: EntryToolResultBlock }>;
  readonly hooks: AttachmentEntry[];
  readonly reports: TaskNotification[];
  readonly interrupted: Set<string>;
}

function collect({ graph, entries }: ConversationDraft, records: ToolRecords): void {
  /** Tool calls of the last answer, until the next answer or prompt. */
  let recent: string[] = [];
  let key = "";
  for (const entry of entries) {
    if (graph.superseded(entry)) continue;
    if (entry.kind === "assistant") {
      if (!isModelCall(entry)) continue;
      if (callKey(entry) !== key) recent = [];
      key = callKey(entry);
      for (const block of entry.content) if (block.type === "tool_use") recent.push(block.id);
    } else if (entry.kind === "user") {
      if (entry.role === "result") collectResults(entry, records.results);
      else if (entry.role === "interrupt") for (const id of recent) records.interrupted.add(id);
      else if (entry.role === "notification") collectReport(entry, records.reports);
      if (entry.role === "interrupt" || entry.role === "prompt") recent = [];
    } else if (entry.kind === "attachment") {
      if (entry.toolUseId !== undefined) records.hooks.push(entry);
      collectReport(entry, records.reports);
    } else if (entry.kind === "queue-operation") collectReport(entry, records.reports);
  }
}

function collectResults(entry: UserEntry, results: ToolRecords["results"]): void {
  for (const block of entry.content) {
    if (block.type === "tool_result" && !results.has(block.toolUseId)) results.set(block.toolUseId, { entry, block });
  }
}

function collectReport(entry: Entry, reports: TaskNotification[]): void {
  const report = taskNotificationIn(entry);
  if (report !== undefined) reports.push(report);
}

function* usesIn({ calls }: ConversationDraft): Generator<[EntryToolUseBlock, AssistantEntry, ModelCall]> {
  for (const call of calls) {
    for (const use of call.lines) {
      for (const block of use.content) if (block.type === "tool_use") yield [block, use, call];
    }
  }
}

function toToolCall(
  { id, name, input }: EntryToolUseBlock,
  { agentId, call, use }: Pick<SessionToolCall, "agentId" | "call" | "use">,
  facts: ToolFacts,
): SessionToolCall {
  const { result, hooks, report } = facts;
  const structured = result?.entry.toolUseResult;
  const background = runsInBackground(structured);
  return {
    id,
    name,
    input,
    agentId,
    call,
    use,
    result: result?.entry,
    output: result?.block.content ?? none,
    isError: result?.block.isError ?? false,
    structured,
    status: toolStatus(facts),
    background,
    report,
    startedAt: use.timestamp,
    endedAt: background ? report?.timestamp : result?.entry.timestamp,
    hooks,
    spilled: spilledOutput(structured),
  };
}

/** The agent id in the result of a tool call. */
export function agentIdIn(tool: SessionToolCall): string | undefined {
  return textField(tool.structured, "agentId");
}
