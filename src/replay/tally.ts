import { defined, plainLine, type ToolInput } from "../protocol/internal.ts";
import type { AnswerSummary, Effect, HandlerResult, ReplayAnswer, ReplayDecision } from "./child-protocol.ts";
import type { PastEvent, PastEventName } from "./past-event.ts";
import type {
  Against,
  Difference,
  EventCount,
  EventLine,
  HandlerReport,
  InputChange,
  ListedEvent,
  ReplayReport,
} from "./replay-report.ts";

/** The part of the report that does not depend on answers. */
type ReplayTotals = Pick<
  ReplayReport,
  "hooks" | "files" | "bytes" | "repeated" | "unreadableLines" | "unread" | "notReplayed" | "toolsNotFound"
>;

/** Calls without a result must not accumulate. */
const mostOpen = 10_000;

/** Adds up answers. Each list holds at most `limit` rows and everything else is a count, so memory is bounded. */
export function openTally(limit: number) {
  const sessions = new Set<string>();
  const events = new Map<PastEventName, MutableEventCount>();
  const handlers = new Map<string, HandlerCount>();
  const missing = rowCounter<{ part: string }>(({ part }) => part);
  const effects = rowCounter<Effect>(({ kind, target, handler }) => `${kind}\n${target}\n${handler ?? ""}`);
  const tasks = rowCounter<{ name: string }>(({ name }) => name);
  const failures = rowCounter<{ handler: string; error: string }>(({ handler, error }) => `${handler}\n${error}`);
  const listed = limitedList<{ -readonly [Key in keyof ListedEvent]: ListedEvent[Key] }>(limit);
  /** Listed calls without a result so far, each with its row if the list had space for it. */
  const open = new Map<string, { refusedThen?: true } | undefined>();
  let refusedThen = 0;
  const changes = limitedList<InputChange>(limit);
  const differences = limitedList<Difference>(limit);
  const differing: Partial<Record<ReplayDecision, number>> = {};

  return {
    /** `before` is the answer of the other hooks file, if there is one. */
    add(event: PastEvent, answer: ReplayAnswer, before?: ReplayAnswer): void {
      sessions.add(event.session);
      for (const part of event.missing) missing.add({ part });
      countEvent(events, event.name, answer);
      for (const effect of answer.effects ?? []) effects.add(effect);
      for (const error of answer.uncaughtErrors ?? []) failures.add(error);
      for (const name of answer.tasks ?? []) tasks.add({ name });
      for (const handler of answer.handlers) {
        const { name, outcome, error } = handler;
        countHandler(handlers, handler);
        if (error !== undefined && outcome !== "effect-refused")
          failures.add({ handler: name, error: plainLine(error) });
      }
      if (before === undefined) list(event, answer);
      else if (before.fingerprint !== answer.fingerprint) {
        differing[answer.decision] = (differing[answer.decision] ?? 0) + 1;
        differences.add(() => ({ ...eventLine(event), now: summaryOf(answer), before: summaryOf(before) }));
      }
    },
    /** Records that a call was refused at the time. Contract: called after `add` of the call. */
    markRefused(toolUseId: string): void {
      if (!open.has(toolUseId)) return;
      refusedThen += 1;
      const row = open.get(toolUseId);
      if (row !== undefined) row.refusedThen = true;
      open.delete(toolUseId);
    },
    /** `appHandlers` are all handlers of the app; `against` names the other hooks file, if there is one. */
    report: (totals: ReplayTotals, appHandlers: ReplayReport["notReplayed"], against?: string): ReplayReport => ({
      ...totals,
      sessions: sessions.size,
      toolCalls: events.get("PreToolUse")?.seen ?? 0,
      prompts: events.get("UserPromptSubmit")?.seen ?? 0,
      events: [...events].map(([event, count]): EventCount => ({ event, ...count })),
      handlers: [
        ...[...handlers].map(([name, count]) => handlerReport(name, count)),
        ...appHandlers.filter(({ name }) => !handlers.has(name)).map((one) => ({ ...one, calls: 0, outcomes: {} })),
      ],
      listed: byTime(listed.rows),
      listedInAll: listed.count(),
      refusedThen,
      changes: byTime(changes.rows),
      changesInAll: changes.count(),
      effects: effects.rows(),
      tasks: tasks.rows(),
      failures: failures.rows(),
      missing: missing.rows().map(({ part, count }) => ({ part, events: count })),
      ...(against === undefined ? {} : { against: differencesFrom(against) }),
    }),
  };

  function differencesFrom(hooks: string): Against {
    return { hooks, differing: differences.count(), decisions: differing, list: byTime(differences.rows) };
  }

  function list(event: PastEvent, { decision, reason, input }: ReplayAnswer): void {
    const toolUseId = String(event.payload["tool_use_id"]);
    if (decision !== "none" && decision !== "allow") {
      const row = listed.add(() => ({ ...eventLine(event), decision, ...defined({ reason }) }));
      if (event.name === "PreToolUse" && open.size < mostOpen) open.set(toolUseId, row);
    }
    if (event.name !== "PreToolUse") open.delete(toolUseId);
    if (input !== undefined) {
      const before = event.payload["tool_input"] as ToolInput;
      changes.add(() => ({ ...eventLine(event), before: cutTexts(before), after: cutTexts(input) }));
    }
  }
}

type MutableEventCount = { -readonly [Key in keyof Omit<EventCount, "event" | "decisions">]: number } & {
  readonly decisions: Partial<Record<ReplayDecision, number>>;
};

function countEvent(events: Map<PastEventName, MutableEventCount>, name: PastEventName, answer: ReplayAnswer): void {
  const count = events.get(name) ?? { seen: 0, decisions: {}, inputsChanged: 0, outputsChanged: 0, contexts: 0 };
  events.set(name, count);
  count.seen += 1;
  count.decisions[answer.decision] = (count.decisions[answer.decision] ?? 0) + 1;
  if (answer.input !== undefined) count.inputsChanged += 1;
  if (answer.outputChanged) count.outputsChanged += 1;
  if (answer.contexts !== undefined) count.contexts += 1;
}

interface HandlerCount {
  calls: number;
  readonly outcomes: Partial<Record<HandlerResult["outcome"], number>>;
  readonly times: ReturnType<typeof openDurations>;
}

function countHandler(handlers: Map<string, HandlerCount>, { name, outcome, ms }: HandlerResult): void {
  const count = handlers.get(name) ?? { calls: 0, outcomes: {}, times: openDurations() };
  handlers.set(name, count);
  count.calls += 1;
  count.outcomes[outcome] = (count.outcomes[outcome] ?? 0) + 1;
  if (outcome !== "not-reached" && outcome !== "skipped") count.times.add(ms);
}

function handlerReport(name: string, { calls, outcomes, times }: HandlerCount): HandlerReport {
  const figures = Object.entries({ medianMs: times.at(0.5), p95Ms: times.at(0.95), maxMs: times.max });
  const rounded = figures.flatMap(([key, ms]) => (ms === undefined ? [] : [[key, Math.round(ms * 1000) / 1000]]));
  return { name, calls, outcomes, ...Object.fromEntries(rounded) };
}

const lineLength = 200;

function eventLine({ payload, name, session, tool, at }: PastEvent): EventLine {
  const text = tool === undefined ? String(payload["prompt"] ?? "") : inputLine(payload["tool_input"]);
  const input = plainLine(text.slice(0, 4 * lineLength)).slice(0, lineLength);
  return defined({ at, session, event: name, tool, input });
}

/** The field by which users recognize a call: its command, file or URL; otherwise the whole input. */
function inputLine(input: unknown): string {
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
  const known = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query"].map((key) => fields[key]);
  return known.find((value) => typeof value === "string") ?? JSON.stringify(fields);
}

/** Inputs can contain whole files; a report with a thousand of them would be too large. */
function cutTexts(input: ToolInput): ToolInput {
  const most = 20_000;
  const cut = (_key: string, value: unknown): unknown =>
    typeof value === "string" && value.length > most ? `${value.slice(0, most)}…` : value;
  return JSON.parse(JSON.stringify(input, cut)) as ToolInput;
}

function summaryOf(answer: ReplayAnswer): AnswerSummary {
  const { handlers: _h, effects: _e, tasks: _t, uncaughtErrors: _u, fingerprint: _f, ...summary } = answer;
  return summary.input === undefined ? summary : { ...summary, input: cutTexts(summary.input) };
}

/** Sorts from oldest to newest; transcripts are read file by file. */
function byTime<Row extends EventLine>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => (a.at ?? "").localeCompare(b.at ?? ""));
}

/** Counts all rows and keeps the first `limit`. */
function limitedList<Row>(limit: number) {
  const rows: Row[] = [];
  let count = 0;
  return {
    rows,
    count: () => count,
    /** Returns the row if it was kept. */
    add(make: () => Row): Row | undefined {
      count += 1;
      if (rows.length >= limit) return undefined;
      const row = make();
      rows.push(row);
      return row;
    },
  };
}

/** An app can produce any number of distinct rows; further ones are dropped. */
const mostDistinct = 500;

/** Counts equal rows. */
function rowCounter<Row extends object>(keyOf: (row: Row) => string) {
  const counts = new Map<string, Row & { count: number }>();
  return {
    add(row: Row) {
      const key = keyOf(row);
      const counted = counts.get(key);
      if (counted !== undefined) counted.count += 1;
      else if (counts.size < mostDistinct) counts.set(key, { ...row, count: 1 });
    },
    rows: () => [...counts.values()],
  };
}

const step = Math.log(1.02);
const leastMs = 0.001;

/** Durations in buckets that grow by 2 %: constant memory, and percentiles with an error of at most 2 %. */
export function openDurations() {
  const buckets = new Map<number, number>();
  let count = 0;
  let max: number | undefined;
  return {
    add(ms: number): void {
      const bucket = Math.round(Math.log(Math.max(ms, leastMs) / leastMs) / step);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      count += 1;
      max = Math.max(max ?? 0, ms);
    },
    /** The percentile; 0.5 is the median. Undefined for an empty histogram. */
    at(share: number): number | undefined {
      let left = Math.ceil(count * share);
      for (const [bucket, size] of [...buckets].sort(([a], [b]) => a - b)) {
        left -= size;
        if (left <= 0) return Math.min(leastMs * Math.exp(bucket * step), max ?? 0);
      }
      return undefined;
    },
    get max(): number | undefined {
      return max;
    },
  };
}
