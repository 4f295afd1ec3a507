import type { ToolResultBlock } from "./content-block.ts";
import type { AssistantEntry, AttachmentEntry, Entry, UserEntry } from "./entry.ts";
import { type Call, isCall, keyOf } from "./model-call.ts";
import {
  type AgentReport,
  fieldOf,
  reportIn,
  runsInBackground,
  spilledOf,
  statusOf,
  type ToolCall,
  type ToolFacts,
} from "./session-tool-call.ts";
import type { Draft } from "./transcript-conversation.ts";

export interface PairedTools {
  /** In the order of the drafts, then of the lines. */
  readonly toolCalls: readonly ToolCall[];
  readonly byId: ReadonlyMap<string, ToolCall>;
  of(draft: Draft): readonly ToolCall[];
  /** Every report of a background agent, in order. */
  readonly reports: readonly AgentReport[];
  /** Results that answer no call of this session. */
  readonly lone: readonly UserEntry[];
}

/** Pairs each tool_use with its tool_result by id, over all conversations of a session. */
export function pairTools(drafts: readonly Draft[]): PairedTools {
  const results = new Map<string, { entry: UserEntry; block: ToolResultBlock }>();
  const hooks = new Map<string, AttachmentEntry[]>();
  const reports: AgentReport[] = [];
  const interrupted = new Set<string>();
  for (const draft of drafts) collect(draft, { results, hooks, reports, interrupted });
  const lastReport = new Map(
    reports.flatMap((report) => (report.toolUseId === undefined ? [] : [[report.toolUseId, report]])),
  );
  const byId = new Map<string, ToolCall>();
  const byDraft = new Map<Draft, ToolCall[]>();
  for (const draft of drafts) {
    const own: ToolCall[] = [];
    byDraft.set(draft, own);
    for (const one of usesIn(draft)) {
      const { id, use } = one;
      if (byId.has(id)) continue;
      const facts = {
        use,
        result: results.get(id),
        hooks: hooks.get(id) ?? none,
        report: lastReport.get(id),
        interruptFollows: interrupted.has(id),
      };
      const tool = toToolCall(one, facts, draft.agentId);
      byId.set(id, tool);
      own.push(tool);
    }
  }
  const lone = [...results].filter(([id]) => !byId.has(id)).map(([, { entry }]) => entry);
  return { toolCalls: [...byId.values()], byId, of: (draft) => byDraft.get(draft) ?? [], reports, lone };
}

const none: readonly never[] = [];

interface Collected {
  readonly results: Map<string, { entry: UserEntry; block: ToolResultBlock }>;
  readonly hooks: Map<string, AttachmentEntry[]>;
  readonly reports: AgentReport[];
  readonly interrupted: Set<string>;
}

function collect({ graph, entries }: Draft, into: Collected): void {
  /** Tools of the last answer, until the next answer or prompt. */
  let recent: string[] = [];
  let key = "";
  for (const entry of entries) {
    if (graph.superseded(entry)) continue;
    if (entry.kind === "assistant") {
      if (!isCall(entry)) continue;
      if (keyOf(entry) !== key) recent = [];
      key = keyOf(entry);
      for (const block of entry.content) if (block.type === "tool_use") recent.push(block.id);
    } else if (entry.kind === "user") {
      if (entry.role === "result") collectResults(entry, into.results);
      else if (entry.role === "interrupt") for (const id of recent) into.interrupted.add(id);
      else if (entry.role === "notification") keepReport(entry, into.reports);
      if (entry.role === "interrupt" || entry.role === "prompt") recent = [];
    } else if (entry.kind === "attachment") {
      if (entry.toolUseId !== undefined) push(into.hooks, entry.toolUseId, entry);
      keepReport(entry, into.reports);
    } else if (entry.kind === "queue-operation") keepReport(entry, into.reports);
  }
}

function collectResults(entry: UserEntry, results: Collected["results"]): void {
  for (const block of entry.content) {
    if (block.type === "tool_result" && !results.has(block.toolUseId)) results.set(block.toolUseId, { entry, block });
  }
}

function keepReport(entry: Entry, reports: AgentReport[]): void {
  const report = reportIn(entry);
  if (report !== undefined) reports.push(report);
}

interface Use {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly call: Call;
  readonly use: AssistantEntry;
}

function usesIn({ calls }: Draft): Use[] {
  const uses: Use[] = [];
  for (const call of calls) {
    for (const use of call.lines) {
      for (const block of use.content) {
        if (block.type === "tool_use") uses.push({ id: block.id, name: block.name, input: block.input, call, use });
      }
    }
  }
  return uses;
}

function toToolCall({ id, name, input, call, use }: Use, facts: ToolFacts, agentId: string | undefined): ToolCall {
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
    status: statusOf(facts),
    background,
    report,
    startedAt: use.timestamp,
    endedAt: background ? report?.timestamp : result?.entry.timestamp,
    hooks,
    spilled: spilledOf(structured),
  };
}

/** The agent id that a tool's result names. */
export function agentIdIn(tool: ToolCall): string | undefined {
  const id = fieldOf(tool.structured, "agentId");
  return typeof id === "string" ? id : undefined;
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
