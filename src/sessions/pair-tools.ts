import type { ToolResultBlock } from "./block.ts";
import { type Call, isCall, keyOf } from "./call.ts";
import type { AssistantEntry, AttachmentEntry, Entry, UserEntry } from "./entry.ts";
import { type AgentReport, reportIn } from "./reports.ts";
import type { Draft } from "./thread.ts";
import { fieldOf, runsInBackground, spilledOf, statusOf, type ToolCall } from "./tool-call.ts";

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
  for (const draft of drafts) {
    for (const entry of draft.entries) {
      if (draft.graph.superseded(entry)) continue;
      collectResult(entry, results);
      if (entry.kind === "attachment" && entry.toolUseId !== undefined) push(hooks, entry.toolUseId, entry);
      const report = reportIn(entry);
      if (report !== undefined) reports.push(report);
    }
    for (const id of toolsBeforeInterrupts(draft)) interrupted.add(id);
  }
  const lastReport = new Map(
    reports.flatMap((report) => (report.toolUseId === undefined ? [] : [[report.toolUseId, report]])),
  );
  const byId = new Map<string, ToolCall>();
  const byDraft = new Map<Draft, ToolCall[]>();
  for (const draft of drafts) {
    const own: ToolCall[] = [];
    byDraft.set(draft, own);
    for (const { id, name, input, call, use } of usesIn(draft)) {
      if (byId.has(id)) continue;
      const facts = {
        use,
        result: results.get(id),
        hooks: hooks.get(id) ?? [],
        report: lastReport.get(id),
        interruptFollows: interrupted.has(id),
      };
      const tool = toToolCall({ id, name, input, call, use }, facts, draft.agentId);
      byId.set(id, tool);
      own.push(tool);
    }
  }
  const lone = [...results].filter(([id]) => !byId.has(id)).map(([, { entry }]) => entry);
  return { toolCalls: [...byId.values()], byId, of: (draft) => byDraft.get(draft) ?? [], reports, lone };
}

function collectResult(entry: Entry, results: Map<string, { entry: UserEntry; block: ToolResultBlock }>): void {
  if (entry.kind !== "user" || entry.role !== "result") return;
  for (const block of entry.content) {
    if (block.type === "tool_result" && !results.has(block.toolUseId)) results.set(block.toolUseId, { entry, block });
  }
}

/** Tools of an answer after which, before any further answer or prompt, the person interrupted. */
function toolsBeforeInterrupts({ graph, entries }: Draft): string[] {
  const found: string[] = [];
  let key = "";
  let recent: string[] = [];
  for (const entry of entries) {
    if (graph.superseded(entry)) continue;
    if (entry.kind === "assistant" && isCall(entry)) {
      if (keyOf(entry) !== key) recent = [];
      key = keyOf(entry);
      for (const block of entry.content) if (block.type === "tool_use") recent.push(block.id);
    } else if (entry.kind === "user" && entry.role === "prompt") recent = [];
    else if (entry.kind === "user" && entry.role === "interrupt") {
      found.push(...recent);
      recent = [];
    }
  }
  return found;
}

interface Use {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly call: Call;
  readonly use: AssistantEntry;
}

function* usesIn({ calls }: Draft): Generator<Use> {
  for (const call of calls) {
    for (const use of call.lines) {
      for (const block of use.content) {
        if (block.type === "tool_use") yield { id: block.id, name: block.name, input: block.input, call, use };
      }
    }
  }
}

function toToolCall(use: Use, facts: Parameters<typeof statusOf>[0], agentId: string | undefined): ToolCall {
  const { result, hooks, report } = facts;
  const structured = result?.entry.toolUseResult;
  const background = runsInBackground(structured);
  const spilled = spilledOf(structured);
  const startedAt = use.use.timestamp;
  const endedAt = background ? report?.timestamp : result?.entry.timestamp;
  return {
    ...use,
    ...(agentId === undefined ? {} : { agentId }),
    ...(result === undefined ? {} : { result: result.entry }),
    output: result?.block.content ?? [],
    isError: result?.block.isError ?? false,
    ...(structured === undefined ? {} : { structured }),
    status: statusOf(facts),
    background,
    ...(report === undefined ? {} : { report }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    hooks,
    ...(spilled === undefined ? {} : { spilled }),
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
