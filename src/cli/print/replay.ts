import type { AnswerSummary, Difference, EventCount, Place, Report } from "../../replay/index.ts";
import { plainLine, plainText } from "../../sessions/index.ts";
import { diffLines } from "./diff.ts";
import { counted, sizeText, timeText } from "./figures.ts";
import { countText } from "./money.ts";
import type { Style } from "./style.ts";
import { tableText } from "./table.ts";
import { cut } from "./width.ts";

interface Sheet {
  readonly style: Style;
  readonly columns: number;
}

/** A replay for people: what it comes to first, then who said it, then call by call. */
export function replayText(report: Report, sheet: Sheet): string {
  const sections = [
    headline(report, sheet),
    eventsText(report, sheet),
    handlersText(report, sheet),
    report.against === undefined ? listedText(report, sheet) : againstText(report, sheet),
    report.against === undefined ? changesText(report, sheet) : "",
    effectsText(report, sheet),
    notesText(report, sheet),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function headline({ toolCalls, prompts, sessions, files, bytes, events, against }: Report, { style }: Sheet): string {
  const read = `${counted(sessions, "session")}, ${counted(files, "file")}, ${sizeText(bytes)}`;
  if (events.length === 0) return `Nothing to replay in ${counted(files, "file")} (${sizeText(bytes)}).\n`;
  const seen = events.reduce((sum, event) => sum + event.seen, 0);
  const calls = `${countText(toolCalls)} tool ${toolCalls === 1 ? "call" : "calls"} and ${counted(prompts, "prompt")}`;
  const first = `${calls} from ${read}\n`;
  if (against !== undefined) {
    const differing = `${countText(against.differing)} of ${countText(seen)} events`;
    return `${first}${style.bold(`${differing} would be answered otherwise than by ${plainLine(against.hooks)}`)}\n`;
  }
  return `${first}${style.bold(verdict(events))}\n`;
}

/** "would have denied 3 of 1,214 calls" */
function verdict(events: readonly EventCount[]): string {
  const tools = events.find(({ event }) => event === "PreToolUse");
  const prompts = events.find(({ event }) => event === "UserPromptSubmit");
  const of = (count: EventCount | undefined, ...decisions: readonly (keyof EventCount["decisions"])[]) =>
    decisions.reduce((sum, decision) => sum + (count?.decisions[decision] ?? 0), 0);
  const asked = of(tools, "ask", "defer");
  const changed = tools?.inputsChanged ?? 0;
  const blocked = of(prompts, "block", "halt");
  const parts = [
    ...(tools === undefined
      ? []
      : [
          `denied ${countText(of(tools, "deny", "halt"))} of ${counted(tools.seen, "call")}`.replace(/\d{4,}/g, commas),
        ]),
    ...(asked > 0 ? [`asked about ${countText(asked)}`] : []),
    ...(changed > 0 ? [`changed the input of ${countText(changed)}`] : []),
    ...(blocked > 0 || tools === undefined
      ? [`blocked ${countText(blocked)} of ${counted(prompts?.seen ?? 0, "prompt")}`]
      : []),
  ];
  return `It would have ${parts.join(", ")}.`;
}

function commas(digits: string): string {
  return countText(Number(digits));
}

function eventsText({ events }: Report, { style, columns }: Sheet): string {
  if (events.length === 0) return "";
  const words = ["deny", "block", "halt", "ask", "defer", "allow", "none", "effect-refused"] as const;
  const used = words.filter((word) => events.some(({ decisions }) => decisions[word] !== undefined));
  const more = [
    ["input changed", "inputsChanged"],
    ["output changed", "outputsChanged"],
    ["context", "contexts"],
  ] as const;
  const shown = more.filter(([, key]) => events.some((event) => event[key] > 0));
  const head = ["event", "seen", ...used, ...shown.map(([title]) => title)];
  const rows = events.map((event) => [
    event.event,
    countText(event.seen),
    ...used.map((word) => countText(event.decisions[word] ?? 0)),
    ...shown.map(([, key]) => countText(event[key])),
  ]);
  const table = head.map((header, index) => ({ header, align: index === 0 ? ("left" as const) : ("right" as const) }));
  return tableText(table, rows, style, columns);
}

function handlersText({ handlers }: Report, { style, columns }: Sheet): string {
  if (handlers.length === 0) return "";
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
  const head = ["calls", ...used, "median", "p95", "max"].map((header) => ({ header, align: "right" as const }));
  return tableText([{ header: "handler", flexible: true }, ...head], rows, style, columns);
}

function listedText({ listed, listedInAll }: Report, { style, columns }: Sheet): string {
  if (listed.length === 0) return "";
  const rows = listed.map((row) => [...where(row), row.decision, plainLine(row.input), plainLine(row.reason ?? "")]);
  const table = tableText(
    [...whereColumns, { header: "answer" }, { header: "input", flexible: true }, { header: "reason", flexible: true }],
    rows,
    style,
    columns,
    (cell, column) => (column === 3 ? painted(cell, style) : cell),
  );
  return `${style.bold("Refused and asked")}\n${table}${rest(listed.length, listedInAll)}`;
}

const whereColumns = [{ header: "when" }, { header: "session" }, { header: "tool" }];

function where({ at, session, tool, event }: Place): readonly string[] {
  const after = event === "PreToolUse" || event === "UserPromptSubmit" ? "" : " (after)";
  return [timeText(at), session.slice(0, 8), tool === undefined ? "(prompt)" : `${plainLine(tool)}${after}`];
}

function rest(shown: number, inAll: number): string {
  return inAll > shown ? `and ${countText(inAll - shown)} more; --limit N shows them\n` : "";
}

function painted(cell: string, style: Style): string {
  return /deny|block|halt/.test(cell) ? style.red(cell) : style.yellow(cell);
}

function changesText({ changes, changesInAll }: Report, { style, columns }: Sheet): string {
  if (changes.length === 0) return "";
  const blocks = changes.map((change) => {
    const lines = diffLines(inputText(change.before), inputText(change.after), 1).map(({ mark, text }) => {
      const line = cut(`  ${mark} ${text}`, columns);
      return mark === "+" ? style.green(line) : mark === "-" ? style.red(line) : line;
    });
    return [where(change).join("  "), ...lines].join("\n");
  });
  return `${style.bold("Changed inputs")}\n${blocks.join("\n")}\n${rest(changes.length, changesInAll)}`;
}

/** A field a line, so that a diff shows fields; texts of several lines as they are. */
function inputText(input: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(input).map(
    ([key, value]) => `${key}: ${plainText(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return `${lines.join("\n")}\n`;
}

function againstText({ against }: Report, { style, columns }: Sheet): string {
  if (against === undefined || against.list.length === 0) return "";
  const rows = against.list.map((row: Difference) => [
    ...where(row),
    plainLine(row.input),
    answerText(row.before),
    answerText(row.now),
  ]);
  const table = tableText(
    [
      ...whereColumns,
      { header: "input", flexible: true },
      { header: `before (${plainLine(against.hooks)})`, flexible: true },
      { header: "now", flexible: true },
    ],
    rows,
    style,
    columns,
  );
  return `${style.bold("Answered differently")}\n${table}${rest(against.list.length, against.differing)}`;
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

function effectsText({ effects }: Report, { style, columns }: Sheet): string {
  if (effects.length === 0) return "";
  const rows = effects.map(({ handler, kind, target, count }) => [
    plainLine(handler ?? "(the app)"),
    kind,
    plainLine(target),
    counted(count, "time"),
  ]);
  const table = tableText(
    [{ header: "handler" }, { header: "effect" }, { header: "target", flexible: true }, { header: "tried" }],
    rows,
    style,
    columns,
  );
  return `${style.bold("Effects refused")} (a replay has none; --allow-effects lifts this)\n${table}`;
}

function notesText({ tasks, failures, missing, unreadableLines, repeated }: Report, { style, columns }: Sheet): string {
  const lines = [
    ...failures.map(({ handler, error, count }) => `${plainLine(handler)} failed ${counted(count, "time")}: ${error}`),
    ...tasks.map(({ name, count }) => `task ${plainLine(name)} would have been added ${counted(count, "time")}`),
    ...(missing.length === 0
      ? []
      : [
          `not in transcripts: ${missing.map(({ part, events }) => `${part} (${counted(events, "event")})`).join(", ")}`,
        ]),
    ...(repeated > 0 ? [`${counted(repeated, "event")} of forked or kept copies counted once`] : []),
    ...(unreadableLines > 0 ? [`${counted(unreadableLines, "line")} could not be read`] : []),
  ];
  return lines.map((line) => `${style.dim(cut(line, Math.max(columns, 40)))}\n`).join("");
}
