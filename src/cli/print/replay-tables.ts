import { plainLine } from "../../protocol/internal.ts";
import type {
  AnswerSummary,
  Difference,
  EventCount,
  EventLine,
  ListedEvent,
  ReplayReport,
} from "../../replay/internal.ts";
import { countText, plural, timeText } from "./figures.ts";
import { type Column, displayWidth, naturalWidths, pad, tableText, truncate, wrap } from "./table.ts";
import type { Style } from "./terminal.ts";

/** How a report is printed. */
export interface ReportLayout {
  readonly style: Style;
  readonly columns: number;
}

export function eventsText({ events }: ReplayReport, layout: ReportLayout): string {
  const decisions = ["deny", "block", "halt", "ask", "defer", "allow", "none", "effect-refused"] as const;
  const used = decisions.filter((decision) => events.some((event) => event.decisions[decision] !== undefined));
  const more = [
    ["input changed", "inputsChanged"],
    ["output changed", "outputsChanged"],
    ["context", "contexts"],
  ] as const;
  const columns: readonly Column<EventCount>[] = [
    { header: "event", text: ({ event }) => event },
    { header: "seen", text: ({ seen }) => countText(seen) },
    ...used.map((header) => ({ header, text: (event: EventCount) => countText(event.decisions[header] ?? 0) })),
    ...more
      .filter(([, key]) => events.some((event) => event[key] > 0))
      .map(([header, key]) => ({ header, text: (event: EventCount) => countText(event[key]) })),
  ];
  return figures(columns, events, layout);
}

type HandlerRow = ReplayReport["handlers"][number];

/** A table of the handlers that were called, then a line for each of the others. */
export function handlersText({ handlers, notReplayed }: ReplayReport, layout: ReportLayout): string {
  const outcomes = ["answered", "passed", "skipped", "failed", "timed-out", "not-reached", "effect-refused"] as const;
  const used = outcomes.filter((outcome) => handlers.some((handler) => handler.outcomes[outcome] !== undefined));
  const ms = (value: number | undefined) =>
    value === undefined ? "" : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  const columns: readonly Column<HandlerRow>[] = [
    { header: "handler", text: ({ name }) => plainLine(name) },
    { header: "calls", text: ({ calls }) => countText(calls) },
    ...used.map((header) => ({ header, text: (one: HandlerRow) => countText(one.outcomes[header] ?? 0) })),
    { header: "median", text: ({ medianMs }) => ms(medianMs) },
    { header: "p95", text: ({ p95Ms }) => ms(p95Ms) },
    { header: "max", text: ({ maxMs }) => ms(maxMs) },
  ];
  const called = handlers.filter(({ calls }) => calls > 0);
  const others = handlers.filter(({ calls }) => calls === 0);
  const width = Math.max(...others.map(({ name }) => displayWidth(plainLine(name))));
  const lines = others.flatMap(({ name, event = "", what = [] }) => {
    const isRecorded = !notReplayed.some((one) => one.event === event);
    // Not "in these sessions": the options of the replay or a middleware may have kept the events from it.
    const none = `no ${event}${what.length === 0 ? "" : ` of ${what.join(", ")}`} reached it`;
    const why = isRecorded ? none : `transcripts do not contain ${event}`;
    return wrap(`${pad(plainLine(name), width)}  0 calls: ${plainLine(why)}`, layout.columns);
  });
  return figures(columns, called, layout) + lines.map((line) => `${line}\n`).join("");
}

/** A table of figures behind a name where it fits, else a line of text for each row. */
function figures<Row>(all: readonly Column<Row>[], rows: readonly Row[], { style, columns }: ReportLayout): string {
  if (rows.length === 0) return "";
  const table = all.map((column, at): Column<Row> => (at === 0 ? column : { ...column, align: "right" }));
  const width = naturalWidths(table, rows).reduce((sum, one) => sum + one + 2, -2);
  if (width <= columns) return tableText(table, rows, style);
  const lines = rows.map((row) => {
    const [name = "", ...values] = all.map(({ text }) => text(row));
    const parts = values.flatMap((value, at) =>
      value === "0" || value === "" ? [] : [`${all[at + 1]?.header} ${value}`],
    );
    return `${wrap(`${name}: ${parts.join(", ")}`, columns - 2).join("\n  ")}\n`;
  });
  return lines.join("");
}

/** Below this width a row takes several lines. */
const narrow = 90;

export function listedText({ listed, listedInAll }: ReplayReport, { style, columns }: ReportLayout): string {
  if (listed.length === 0) return "";
  const title = `${style.bold("Denied and asked")}\n`;
  const more = moreLine(listed.length, listedInAll);
  const grouped = groupEqualCalls(listed);
  if (columns < narrow)
    return title + narrowRows(grouped, columns, (row) => [`${row.decision}: ${reasonText(row)}`]) + more;
  const table: readonly Column<Group>[] = [
    ...places,
    { header: "answer", text: ({ decision }) => decision, paint: (cell) => color(cell, style) },
    { header: "input", text: ({ input }) => plainLine(input), flexible: true },
    { header: "reason", text: reasonText, flexible: true },
  ];
  return title + tableText(table, grouped, style, columns) + more;
}

interface Group extends ListedEvent {
  /** The number of equal calls. */
  readonly calls: number;
}

/** Equal calls of one session with equal answers are one row, in the place of the first. */
function groupEqualCalls(listed: readonly ListedEvent[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const row of listed) {
    const { at: _at, ...alike } = row;
    const key = JSON.stringify(alike);
    const known = groups.get(key);
    groups.set(key, known === undefined ? { ...row, calls: 1 } : { ...known, calls: known.calls + 1 });
  }
  return [...groups.values()];
}

function reasonText({ calls, refusedThen, reason = "" }: Group): string {
  const marks = [...(calls > 1 ? [`${calls} times`] : []), ...(refusedThen ? ["denied at the time, too"] : [])];
  return `${marks.length > 0 ? `(${marks.join(", ")}) ` : ""}${plainLine(reason)}`;
}

export function againstText({ against }: ReplayReport, { style, columns }: ReportLayout): string {
  if (against === undefined || against.list.length === 0) return "";
  const title = `${style.bold("Answered differently")}\n`;
  const more = moreLine(against.list.length, against.differing);
  const both = ({ before, now }: Difference) => [`before: ${answerText(before)}`, `now: ${answerText(now)}`];
  if (columns < narrow) return title + narrowRows(against.list, columns, both) + more;
  const table: readonly Column<Difference>[] = [
    ...places,
    { header: "input", text: ({ input }) => plainLine(input), flexible: true },
    { header: "before", text: ({ before }) => answerText(before), flexible: true },
    { header: "now", text: ({ now }) => answerText(now), flexible: true },
  ];
  return title + tableText(table, against.list, style, columns) + more;
}

export function effectsText({ effects }: ReplayReport, { style, columns }: ReportLayout): string {
  if (effects.length === 0) return "";
  const table: readonly Column<ReplayReport["effects"][number]>[] = [
    { header: "handler", text: ({ handler }) => plainLine(handler ?? "(the app)"), flexible: true },
    { header: "effect", text: ({ kind }) => kind },
    { header: "target", text: ({ target }) => plainLine(target), flexible: true },
    { header: "tried", text: ({ count }) => plural(count, "time") },
  ];
  return `${style.bold("Effects refused")} (--allow-effects permits them)\n${tableText(table, effects, style, columns)}`;
}

const places: readonly Column<EventLine>[] = [
  { header: "when", text: ({ at }) => timeText(at) },
  { header: "session", text: ({ session }) => plainLine(session).slice(0, 8) },
  { header: "tool", text: toolText, flexible: true },
];

function toolText({ tool, event }: EventLine): string {
  const after = event === "PreToolUse" || event === "UserPromptSubmit" ? "" : " (after)";
  return tool === undefined ? "(prompt)" : `${plainLine(tool)}${after}`;
}

/** Time, session and tool. */
export function callText(line: EventLine): string {
  return places.map(({ text }) => text(line)).join("  ");
}

export function moreLine(shown: number, inAll: number): string {
  return inAll > shown ? `and ${countText(inAll - shown)} more; use --limit N to show them\n` : "";
}

function narrowRows<Row extends EventLine>(
  rows: readonly Row[],
  columns: number,
  details: (row: Row) => readonly string[],
): string {
  return rows
    .flatMap((row) => [
      callText(row),
      `  ${plainLine(row.input)}`,
      ...details(row).map((line) => `  ${plainLine(line)}`),
    ])
    .map((line) => `${truncate(line, columns)}\n`)
    .join("");
}

function color(cell: string, style: Style): string {
  return /deny|block|halt/.test(cell) ? style.red(cell) : style.yellow(cell);
}

function answerText({ decision, reason, input, outputChanged, contexts, messages }: AnswerSummary): string {
  const parts = [
    decision,
    ...(reason === undefined ? [] : [`"${reason}"`]),
    ...(input === undefined ? [] : [`input ${JSON.stringify(input)}`]),
    ...(outputChanged ? ["output changed"] : []),
    ...(contexts ?? []).map((text) => `context "${text}"`),
    ...(messages ?? []).map((text) => `message "${text}"`),
  ];
  return plainLine(parts.join(", "));
}
