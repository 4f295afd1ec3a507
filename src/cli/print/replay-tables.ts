import { plainLine } from "../../protocol/internal.ts";
import type { AnswerSummary, Difference, Listed, Place, Report } from "../../replay/internal.ts";
import { counted, countText, timeText } from "./figures.ts";
import type { Style } from "./style.ts";
import { cut, tableText, widthOf, wrapped } from "./table.ts";

/** What a report is written on. */
export interface Sheet {
  readonly style: Style;
  readonly columns: number;
}

export function eventsText({ events }: Report, sheet: Sheet): string {
  const words = ["deny", "block", "halt", "ask", "defer", "allow", "none", "effect-refused"] as const;
  const used = words.filter((word) => events.some(({ decisions }) => decisions[word] !== undefined));
  const more = [
    ["input changed", "inputsChanged"],
    ["output changed", "outputsChanged"],
    ["context", "contexts"],
  ] as const;
  const shown = more.filter(([, key]) => events.some((event) => event[key] > 0));
  const rows = events.map((event) => [
    event.event,
    countText(event.seen),
    ...used.map((word) => countText(event.decisions[word] ?? 0)),
    ...shown.map(([, key]) => countText(event[key])),
  ]);
  return figures(["event", "seen", ...used, ...shown.map(([title]) => title)], rows, sheet);
}

export function handlersText({ handlers }: Report, sheet: Sheet): string {
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
  return figures(["handler", "calls", ...used, "median", "p95", "max"], rows, sheet);
}

/** A table of figures where it fits, else a line of words for each row. */
function figures(head: readonly string[], rows: readonly (readonly string[])[], { style, columns }: Sheet): string {
  if (rows.length === 0) return "";
  const widths = head.map((title, at) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ""))));
  if (widths.reduce((sum, width) => sum + width + 2, -2) <= columns) {
    const table = head.map((header, at) => ({ header, align: at === 0 ? ("left" as const) : ("right" as const) }));
    return tableText(table, rows, style);
  }
  return rows
    .map(([name = "", ...values]) => {
      const told = values.flatMap((value, at) => (value === "0" || value === "" ? [] : [`${head[at + 1]} ${value}`]));
      return wrapped(`${name}: ${told.join(", ")}`, columns - 2).join("\n  ");
    })
    .map((text) => `${text}\n`)
    .join("");
}

/** Below this a row takes several lines. */
const narrow = 90;

export function listedText({ listed, listedInAll }: Report, { style, columns }: Sheet): string {
  if (listed.length === 0) return "";
  const title = `${style.bold("Refused and asked")}\n`;
  const more = rest(listed.length, listedInAll);
  const grouped = groupsOf(listed);
  if (columns < narrow)
    return title + blocks(grouped, columns, (row) => [`${row.decision}: ${reasonText(row)}`]) + more;
  const rows = grouped.map((row) => [...where(row), row.decision, plainLine(row.input), reasonText(row)]);
  const head = [...places, { header: "answer" }, { header: "input", ...flexible }, { header: "reason", ...flexible }];
  const painted = (cell: string, at: number) => (at === 3 ? colour(cell, style) : cell);
  return title + tableText(head, rows, style, columns, painted) + more;
}

interface Group extends Listed {
  /** How many calls are like it. */
  readonly calls: number;
}

/** Calls of one session that are alike, and were answered alike, are one row in the place of the first. */
function groupsOf(listed: readonly Listed[]): readonly Group[] {
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
  const marks = [...(calls > 1 ? [`${calls} times`] : []), ...(refusedThen ? ["refused then too"] : [])];
  return `${marks.length > 0 ? `(${marks.join(", ")}) ` : ""}${plainLine(reason)}`;
}

export function againstText({ against }: Report, { style, columns }: Sheet): string {
  if (against === undefined || against.list.length === 0) return "";
  const title = `${style.bold("Answered differently")}\n`;
  const more = rest(against.list.length, against.differing);
  const both = ({ before, now }: Difference) => [`before: ${answerText(before)}`, `now: ${answerText(now)}`];
  if (columns < narrow) return title + blocks(against.list, columns, both) + more;
  const rows = against.list.map((row) => [
    ...where(row),
    plainLine(row.input),
    answerText(row.before),
    answerText(row.now),
  ]);
  const head = ["input", "before", "now"].map((header) => ({ header, ...flexible }));
  return title + tableText([...places, ...head], rows, style, columns) + more;
}

export function effectsText({ effects }: Report, { style, columns }: Sheet): string {
  if (effects.length === 0) return "";
  const rows = effects.map(({ handler, kind, target, count }) => [
    plainLine(handler ?? "(the app)"),
    kind,
    plainLine(target),
    counted(count, "time"),
  ]);
  const head = [
    { header: "handler", ...flexible },
    { header: "effect" },
    { header: "target", ...flexible },
    { header: "tried" },
  ];
  const title = `${style.bold("Effects refused")} (--allow-effects lifts this)\n`;
  return title + tableText(head, rows, style, columns);
}

const flexible = { flexible: true } as const;
const places = [{ header: "when" }, { header: "session" }, { header: "tool", ...flexible }];

/** When, in which session, which tool. */
export function where({ at, session, tool, event }: Place): readonly string[] {
  const after = event === "PreToolUse" || event === "UserPromptSubmit" ? "" : " (after)";
  return [timeText(at), plainLine(session).slice(0, 8), tool === undefined ? "(prompt)" : `${plainLine(tool)}${after}`];
}

export function rest(shown: number, inAll: number): string {
  return inAll > shown ? `and ${countText(inAll - shown)} more; --limit N shows them\n` : "";
}

function blocks<Row extends Place>(
  rows: readonly Row[],
  columns: number,
  told: (row: Row) => readonly string[],
): string {
  return rows
    .flatMap((row) => [
      where(row).join("  "),
      `  ${plainLine(row.input)}`,
      ...told(row).map((line) => `  ${plainLine(line)}`),
    ])
    .map((line) => `${cut(line, columns)}\n`)
    .join("");
}

function colour(cell: string, style: Style): string {
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
