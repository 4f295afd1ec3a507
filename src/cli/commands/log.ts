import { didYouMean, escapeControls, escapeJson, eventNames, parseObject, plainLine } from "../../protocol/internal.ts";
import { type HandlerTrace, type LogRecord, logFiles } from "../../sdk/internal.ts";
import type { Command, ParsedCall } from "../command-line/command.ts";
import { choice, numberOption, pointInTime } from "../options/option-values.ts";
import { exactTimeText, plural } from "../print/figures.ts";
import { type Style, styleFor } from "../print/terminal.ts";
import { followLog, readLog } from "./follow-log.ts";

export const command: Command = {
  usage:
    "[--follow] [--session S] [--event E] [--handler H] [--decision D] [--failed] [--slow MS] [--since T] [--json]",
  about: `Shows what hooks did: one line per event, and what handlers wrote with ctx.log.

The log is in the user's state directory and is size-limited; an app turns it off with createApp({ log: false }). When several filters
are given, a record must match all of them. Control characters are escaped. Exit status: 0, also when no record matches.`,
  options: {
    follow: { short: "f", about: "keep printing new records until interrupted" },
    session: { value: "ID", about: "only this session; the beginning of its id is enough" },
    event: { value: "EVENT[:TOOL]", about: "only this event" },
    handler: { value: "NAME", about: "only events that this handler received" },
    decision: {
      value: "DECISION",
      about: "only allow, ask, defer, refused (also deny, denied, block, blocked), halt or none",
    },
    failed: { about: "only failures" },
    slow: { value: "MS", about: "only calls that took at least this long" },
    since: { value: "SPAN|DATE", about: "only since 30m, 2h or 7d ago, or since a date, in local time" },
    json: { about: "print one JSON object per line" },
  },
  examples: ["hookline log --since 1h --failed", "hookline log --follow --event PreToolUse:Bash"],
  async run(call, io) {
    const matches = logFilter(call);
    const style = styleFor(io);
    const show = (record: LogRecord) =>
      call.flag("json") ? escapeJson(JSON.stringify(record)) : logLine(record, style);
    const files = logFiles(io.env, { files: mostFiles });
    let [records, shown, unreadable] = [0, 0, 0];
    const seen: SeenNames = { event: new Set(eventNames), tool: new Set(), handler: new Set() };
    for await (const line of call.flag("follow") ? followLog(files, io.signal) : readLog(files)) {
      const record = recordIn(line);
      if (record === undefined) unreadable++;
      else {
        records++;
        addNames(record, seen);
        if (!matches(record)) continue;
        shown++;
        await io.out(`${show(record)}\n`);
      }
    }
    if (unreadable > 0) await io.err(`hookline: ${plural(unreadable, "line")} of the log could not be read.\n`);
    const isEmpty = shown === 0 && !call.flag("json") && !call.flag("follow");
    const empty = isEmpty ? [records === 0 ? "No events logged yet." : "No record matches."] : [];
    for (const note of [...empty, ...notSeen(call, seen)]) await io.err(`hookline: ${plainLine(note)}\n`);
    return 0;
  },
};

/** More than the default, since an app can keep more files. */
const mostFiles = 20;

function recordIn(line: string): LogRecord | undefined {
  const value = parseObject(line);
  return typeof value?.["time"] === "string" && typeof value["event"] === "string" ? (value as LogRecord) : undefined;
}

/** The names of all events, and the names in the records that were read. */
type SeenNames = Readonly<Record<"event" | "tool" | "handler", Set<string>>>;

function addNames(record: LogRecord, { event, tool, handler }: SeenNames): void {
  event.add(record.event);
  if (typeof record["tool"] === "string") tool.add(record["tool"]);
  for (const name of handlerNames(record)) handler.add(name);
}

/** A sentence for each name in a filter that no record has, when it is not the name of an event. */
function notSeen(call: ParsedCall, seen: SeenNames): readonly string[] {
  const names = namesIn(call);
  return (["event", "tool", "handler"] as const).flatMap((what) => {
    const name = names[what];
    if (name === "" || name === "*" || seen[what].has(name)) return [];
    return [`The log has no ${what} "${name}".${didYouMean(name, seen[what])}`];
  });
}

/** One line per record: time, event, answer, duration, handlers and reason, with the stacks of failures below it. */
function logLine(record: LogRecord, style: Style): string {
  const parts = record["message"] === undefined ? eventParts(record, style) : messageParts(record, style);
  const line = [style.dim(escapeControls(exactTimeText(record.time))), escapeControls(subjectOf(record)), ...parts]
    .filter((part) => part !== "")
    .join("  ");
  return [line, ...stacksOf(record).map((frame) => style.dim(`    ${escapeControls(frame)}`))].join("\n");
}

function stacksOf(record: LogRecord): readonly string[] {
  const stacks = [record["stack"], ...handlersOf(record).map(({ stack }) => stack)];
  return stacks.flatMap((stack) => (typeof stack === "string" ? stack.split("\n") : []));
}

/** A text on one line, with a mark at each line break. */
function onOneLine(text: string): string {
  return text.split(/\r?\n/).map(escapeControls).join(" ↵ ");
}

function subjectOf(record: LogRecord): string {
  const event = record.event || (typeof record["task"] === "string" ? `task ${record["task"]}` : "-");
  return typeof record["tool"] === "string" ? `${event} ${record["tool"]}` : event;
}

function eventParts(record: LogRecord, style: Style): string[] {
  const { answer: recorded = "", failed } = record as { [field: string]: unknown };
  const logged = failed !== undefined && (recorded === "none" || recorded === "") ? "failed" : String(recorded);
  const answer = logged === "refused" ? "denied" : escapeControls(logged);
  const ms = typeof record["ms"] === "number" ? `${record["ms"]} ms` : "";
  const reason = record["reason"] ?? record["failed"];
  const handlers = handlersOf(record)
    .filter(({ outcome }) => outcome !== "passed" && outcome !== "not-reached")
    .map(({ name, outcome, error }) => `${name} ${outcome}${error === undefined ? "" : ` (${error})`}`);
  return [
    colorOf(record, style)(answer),
    ms,
    onOneLine(handlers.join(", ")),
    reason === undefined ? "" : `“${onOneLine(String(reason))}”`,
    style.dim(escapeControls(record.session?.slice(0, 8) ?? "")),
  ];
}

function messageParts(record: LogRecord, style: Style): string[] {
  const { level, handler, message, data } = record as { [field: string]: unknown };
  const who = typeof handler === "string" ? `${handler}: ` : "";
  const more = data === undefined ? "" : ` ${JSON.stringify(data)}`;
  return [colorOf(record, style)(escapeControls(String(level))), onOneLine(`${who}${String(message)}${more}`)];
}

function colorOf(record: LogRecord, style: Style): (text: string) => string {
  if (hasFailed(record)) return style.red;
  const { answer, level } = record as { [field: string]: unknown };
  return answer === "refused" || answer === "ask" || level === "warn" ? style.yellow : (text) => text;
}

type LoggedHandler = Pick<HandlerTrace, "name" | "outcome" | "error" | "stack">;

/** A test for the records that a call asks for: all of its filters must match. */
function logFilter(call: ParsedCall): (record: LogRecord) => boolean {
  const session = call.text("session");
  const { event, tool, handler } = namesIn(call);
  const answer = answers[choice(call, "decision", Object.keys(answers)) ?? ""];
  const slowMs = numberOption(call, "slow", "a number of milliseconds, such as 100", (ms) => ms >= 0);
  const sinceMs = pointInTime(call, "since");
  return (record) =>
    (session === undefined || record.session?.startsWith(session) === true) &&
    (event === "" || record.event === event) &&
    (tool === "" || tool === "*" || record["tool"] === tool) &&
    (handler === "" || handlerNames(record).includes(handler)) &&
    (answer === undefined || record["answer"] === answer) &&
    (!call.flag("failed") || hasFailed(record)) &&
    (slowMs === undefined || Number(record["ms"]) >= slowMs) &&
    (sinceMs === undefined || Date.parse(record.time) >= sinceMs);
}

function namesIn(call: ParsedCall): { readonly event: string; readonly tool: string; readonly handler: string } {
  const [event = "", tool = ""] = (call.text("event") ?? "").split(":", 2);
  return { event, tool, handler: call.text("handler") ?? "" };
}

/** The handlers of an event, or the one that wrote a message. */
function handlerNames(record: LogRecord): readonly string[] {
  const writer = record["handler"];
  return [...(typeof writer === "string" ? [writer] : []), ...handlersOf(record).map(({ name }) => name)];
}

function handlersOf(record: LogRecord): readonly LoggedHandler[] {
  return Array.isArray(record["handlers"]) ? (record["handlers"] as LoggedHandler[]) : [];
}

function hasFailed(record: LogRecord): boolean {
  if (record["failed"] !== undefined || record["level"] === "error") return true;
  return handlersOf(record).some(({ outcome }) => outcome === "failed" || outcome === "timed-out");
}

/** The answers in the log by name. The log has one for all kinds of denial. */
const answers: Readonly<Record<string, string>> = {
  ...{ allow: "allow", ask: "ask", defer: "defer", halt: "halt", none: "none" },
  ...{ refused: "refused", deny: "refused", block: "refused", denied: "refused", blocked: "refused" },
};
