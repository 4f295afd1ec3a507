import { plainLine } from "../../protocol/internal.ts";
import type { AnswerSummary, Difference, EventLine, ListedEvent, ReplayReport } from "../../replay/internal.ts";
import { countText, plural, timeText } from "./figures.ts";
import { naturalWidths, tableText, truncate, wrap } from "./table.ts";
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
  const shown = more.filter(([, key]) => events.some((event) => event[key] > 0));
  const rows = events.map((event) => [
    event.event,
    countText(event.seen),
    ...used.map((decision) => countText(event.decisions[decision] ?? 0)),
    ...shown.map(([, key]) => countText(event[key])),
  ]);
  return figures(["event", "seen", ...used, ...shown.map(([title]) => title)], rows, layout);
}

export function handlersText({ handlers }: ReplayReport, layout: ReportLayout): string {
  const outcomes = ["answered", "passed", "skipped", "failed", "timed-out", "not-reached", "effect-refused"] as const;
  const used = outcomes.filter((outcome) => handlers.some((handler) => handler.outcomes[outcome] !== undefined));
  const ms = (value: number | undefined) =>
    value === undefined ? "" : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  const rows = handlers.map(({ name, calls, outcomes: counts, medianMs, p95Ms, maxMs }) => [
    plainLine(name),
    countText(calls),
    ...used.map((outcome) => countText(counts[outcome] ?? 0)),
    ms(medianMs),
    ms(p95Ms),
    ms(maxMs),
  ]);
  return figures(["handler", "calls", ...used, "median", "p95", "max"], rows, layout);
}

/** A table where it fits, else a line of text for each row. */
function figures(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { style, columns }: ReportLayout,
): string {
  if (rows.length === 0) return "";
  const table = head.map((header, at) => ({ header, align: at === 0 ? ("left" as const) : ("right" as const) }));
  const width = naturalWidths(table, rows).reduce((sum, one) => sum + one + 2, -2);
  if (width <= columns) return tableText(table, rows, style);
  return rows
    .map(([name = "", ...values]) => {
      const parts = values.flatMap((value, at) => (value === "0" || value === "" ? [] : [`${head[at + 1]} ${value}`]));
      return wrap(`${name}: ${parts.join(", ")}`, columns - 2).join("\n  ");
    })
    .map((text) => `${text}\n`)
    .join("");
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
  const rows = grouped.map((row) => [...callColumns(row), row.decision, plainLine(row.input), reasonText(row)]);
  const head = [...places, { header: "answer" }, { header: "input", ...flexible }, { header: "reason", ...flexible }];
  const painted = (cell: string, at: number) => (at === 3 ? color(cell, style) : cell);
  return title + tableText(head, rows, style, columns, painted) + more;
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
  const rows = against.list.map((row) => [
    ...callColumns(row),
    plainLine(row.input),
    answerText(row.before),
    answerText(row.now),
  ]);
  const head = ["input", "before", "now"].map((header) => ({ header, ...flexible }));
  return title + tableText([...places, ...head], rows, style, columns) + more;
}

export function effectsText({ effects }: ReplayReport, { style, columns }: ReportLayout): string {
  if (effects.length === 0) return "";
  const rows = effects.map(({ handler, kind, target, count }) => [
    plainLine(handler ?? "(the app)"),
    kind,
    plainLine(target),
    plural(count, "time"),
  ]);
  const head = [
    { header: "handler", ...flexible },
    { header: "effect" },
    { header: "target", ...flexible },
    { header: "tried" },
  ];
  const title = `${style.bold("Effects refused")} (--allow-effects permits them)\n`;
  return title + tableText(head, rows, style, columns);
}

const flexible = { flexible: true } as const;
const places = [{ header: "when" }, { header: "session" }, { header: "tool", ...flexible }];

/** Time, session and tool. */
export function callColumns({ at, session, tool, event }: EventLine): readonly string[] {
  const after = event === "PreToolUse" || event === "UserPromptSubmit" ? "" : " (after)";
  return [timeText(at), plainLine(session).slice(0, 8), tool === undefined ? "(prompt)" : `${plainLine(tool)}${after}`];
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
      callColumns(row).join("  "),
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
