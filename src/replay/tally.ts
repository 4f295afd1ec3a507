import { plainLine, type ToolInput } from "../protocol/internal.ts";
import type { AnswerSummary, Effect, HandlerResult, ReplayAnswer, ReplayDecision } from "./child-protocol.ts";
import { type DurationHistogram, openDurations } from "./counters.ts";
import type { PastEvent, PastEventName } from "./past-event.ts";
import type {
  Difference,
  EventCount,
  EventLine,
  HandlerReport,
  InputChange,
  ListedEvent,
  ReplayReport,
} from "./replay-report.ts";

export interface Tally {
  add(event: PastEvent, said: ReplayAnswer, before?: ReplayAnswer): void;
  /** The call was not let through then. Contract: called after `add` of the call. */
  refusedThen(toolUseId: string): void;
  report(read: Read): ReplayReport;
}

/** What is known of the reading, not of the answers. */
export type Read = Pick<
  ReplayReport,
  "hooks" | "files" | "bytes" | "repeated" | "unreadableLines" | "unread" | "notReplayed"
> & {
  readonly againstHooks?: string;
};

/** Adds answers up. Lists hold `limit` rows each; everything else is counts, so memory does not grow with the past. */
export function openTally(limit: number): Tally {
  const sessions = new Set<string>();
  const events = new Map<PastEventName, Counting>();
  const handlers = new Map<string, Handling>();
  const missing = new Map<string, number>();
  const effects = counter<Effect>(({ kind, target, handler }) => `${kind}\n${target}\n${handler ?? ""}`);
  const tasks = counter<{ name: string }>(({ name }) => name);
  const failures = counter<{ handler: string; error: string }>(({ handler, error }) => `${handler}\n${error}`);
  const listed = list<{ -readonly [Key in keyof ListedEvent]: ListedEvent[Key] }>(limit);
  /** Refused calls whose own end is not known yet, each with its row, if it has one. */
  const open = new Map<string, { refusedThen?: true } | undefined>();
  let refusedThen = 0;
  const changes = list<InputChange>(limit);
  const differences = list<Difference>(limit);
  const differing: Partial<Record<ReplayDecision, number>> = {};

  return {
    add(event, said, before) {
      sessions.add(event.session);
      for (const part of event.missing) missing.set(part, (missing.get(part) ?? 0) + 1);
      count(events, event.name, said);
      for (const handler of said.handlers) countHandler(handlers, handler);
      for (const effect of said.effects ?? []) effects.add(effect);
      for (const stray of said.strays ?? []) failures.add(stray);
      for (const name of said.tasks ?? []) tasks.add({ name });
      for (const { name, outcome, error } of said.handlers) {
        if (error !== undefined && outcome !== "effect-refused")
          failures.add({ handler: name, error: plainLine(error) });
      }
      if (before !== undefined) {
        if (before.print === said.print) return;
        differing[said.decision] = (differing[said.decision] ?? 0) + 1;
        differences.add(() => ({ ...placeOf(event), now: summaryOf(said), before: summaryOf(before) }));
        return;
      }
      if (isListed(said.decision)) {
        const row = listed.add(() => ({ ...placeOf(event), ...spoken(said) }));
        if (event.name === "PreToolUse" && open.size < mostOpen) open.set(callOf(event), row);
      }
      if (event.name !== "PreToolUse") open.delete(callOf(event));
      const { input } = said;
      if (input !== undefined) {
        const before = event.payload["tool_input"] as ToolInput;
        changes.add(() => ({ ...placeOf(event), before: cutTexts(before), after: cutTexts(input) }));
      }
    },
    refusedThen(toolUseId) {
      if (!open.has(toolUseId)) return;
      refusedThen += 1;
      const row = open.get(toolUseId);
      if (row !== undefined) row.refusedThen = true;
      open.delete(toolUseId);
    },
    report: ({ againstHooks, ...read }) => ({
      hooks: read.hooks,
      files: read.files,
      bytes: read.bytes,
      sessions: sessions.size,
      toolCalls: events.get("PreToolUse")?.seen ?? 0,
      prompts: events.get("UserPromptSubmit")?.seen ?? 0,
      repeated: read.repeated,
      unreadableLines: read.unreadableLines,
      unread: read.unread,
      events: [...events].map(([event, counting]): EventCount => ({ event, ...counting })),
      handlers: [...handlers].map(([name, handling]) => handlerReport(name, handling)),
      listed: byTime(listed.rows),
      listedInAll: listed.count(),
      refusedThen,
      notReplayed: read.notReplayed,
      changes: byTime(changes.rows),
      changesInAll: changes.count(),
      effects: effects.rows(),
      tasks: tasks.rows(),
      failures: failures.rows(),
      missing: [...missing].map(([part, events]) => ({ part, events })),
      ...(againstHooks === undefined
        ? {}
        : {
            against: {
              hooks: againstHooks,
              differing: differences.count(),
              decisions: differing,
              list: byTime(differences.rows),
            },
          }),
    }),
  };
}

/** Calls whose end is never told must not pile up. */
const mostOpen = 10_000;

function callOf({ payload }: PastEvent): string {
  return String(payload["tool_use_id"]);
}

/** Transcripts are read file by file; people read from the oldest to the newest. */
function byTime<Row extends EventLine>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => (a.at ?? "").localeCompare(b.at ?? ""));
}

/** Answers that would have stopped something, or whose meaning is unknown. */
function isListed(decision: ReplayDecision): boolean {
  return decision !== "none" && decision !== "allow";
}

type Counting = { -readonly [Key in keyof Omit<EventCount, "event" | "decisions">]: number } & {
  readonly decisions: Partial<Record<ReplayDecision, number>>;
};

function count(events: Map<PastEventName, Counting>, name: PastEventName, said: ReplayAnswer): void {
  const counting = events.get(name) ?? { seen: 0, decisions: {}, inputsChanged: 0, outputsChanged: 0, contexts: 0 };
  events.set(name, counting);
  counting.seen += 1;
  counting.decisions[said.decision] = (counting.decisions[said.decision] ?? 0) + 1;
  if (said.input !== undefined) counting.inputsChanged += 1;
  if (said.outputChanged) counting.outputsChanged += 1;
  if (said.contexts !== undefined) counting.contexts += 1;
}

interface Handling {
  calls: number;
  readonly outcomes: Partial<Record<HandlerResult["outcome"], number>>;
  readonly times: DurationHistogram;
}

function countHandler(handlers: Map<string, Handling>, { name, outcome, ms }: HandlerResult): void {
  const handling = handlers.get(name) ?? { calls: 0, outcomes: {}, times: openDurations() };
  handlers.set(name, handling);
  handling.calls += 1;
  handling.outcomes[outcome] = (handling.outcomes[outcome] ?? 0) + 1;
  if (outcome !== "not-reached" && outcome !== "skipped") handling.times.add(ms);
}

function handlerReport(name: string, { calls, outcomes, times }: Handling): HandlerReport {
  const figures = { medianMs: times.at(0.5), p95Ms: times.at(0.95), maxMs: times.max };
  const known = Object.entries(figures).flatMap(([key, ms]) =>
    ms === undefined ? [] : [[key, Math.round(ms * 1000) / 1000]],
  );
  return { name, calls, outcomes, ...Object.fromEntries(known) };
}

const lineLength = 200;

function placeOf(event: PastEvent): EventLine {
  const { payload, name, session, tool, at } = event;
  const text = tool === undefined ? String(payload["prompt"] ?? "") : inputLine(payload["tool_input"]);
  return {
    ...(at === undefined ? {} : { at }),
    session,
    event: name,
    ...(tool === undefined ? {} : { tool }),
    input: plainLine(text.slice(0, 4 * lineLength)).slice(0, lineLength),
  };
}

/** What people know a call by: its command, file or address; else all of the input. */
function inputLine(input: unknown): string {
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
  const named = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query"].map((key) => fields[key]);
  return named.find((value) => typeof value === "string") ?? JSON.stringify(fields);
}

/** Whole files are written through inputs; a thousand of them are more than a report should hold. */
function cutTexts(input: ToolInput): ToolInput {
  const most = 20_000;
  const cut = (_key: string, value: unknown): unknown =>
    typeof value === "string" && value.length > most ? `${value.slice(0, most)}…` : value;
  return JSON.parse(JSON.stringify(input, cut)) as ToolInput;
}

function spoken({ decision, reason }: ReplayAnswer): Pick<ListedEvent, "decision" | "reason"> {
  return { decision, ...(reason === undefined ? {} : { reason }) };
}

function summaryOf({
  handlers: _h,
  effects: _e,
  tasks: _t,
  strays: _s,
  print: _p,
  ...summary
}: ReplayAnswer): AnswerSummary {
  return summary.input === undefined ? summary : { ...summary, input: cutTexts(summary.input) };
}

function list<Row>(limit: number) {
  const rows: Row[] = [];
  let count = 0;
  return {
    rows,
    count: () => count,
    /** Gives the row, unless there is no room for it. */
    add(make: () => Row): Row | undefined {
      count += 1;
      if (rows.length >= limit) return undefined;
      const row = make();
      rows.push(row);
      return row;
    },
  };
}

/** Different things an app can make up without end; the first few hundred are enough. */
const mostKinds = 500;

function counter<Row extends object>(keyOf: (row: Row) => string) {
  const counts = new Map<string, Row & { count: number }>();
  return {
    add(row: Row) {
      const key = keyOf(row);
      const known = counts.get(key);
      if (known !== undefined) known.count += 1;
      else if (counts.size < mostKinds) counts.set(key, { ...row, count: 1 });
    },
    rows: () => [...counts.values()],
  };
}
