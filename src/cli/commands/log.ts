import {
  closestName,
  escapeControls,
  escapeJson,
  eventNames,
  Problem,
  parseObject,
  plainLine,
} from "../../protocol/internal.ts";
import { type LogRecord, logFiles } from "../../sdk/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { timeBefore } from "../options/option-values.ts";
import { plural } from "../print/figures.ts";
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
    since: { value: "SPAN|DATE", about: "only since 30m, 2h or 7d ago, or since a date" },
    json: { about: "print one JSON object per line" },
  },
  examples: ["hookline log --since 1h --failed", "hookline log --follow --event PreToolUse:Bash"],
  async run(call, io) {
    const matches = logFilter(call);
    const style = styleFor(io);
    const show = (record: LogRecord) =>
      call.flag("json") ? escapeJson(JSON.stringify(record)) : logLine(record, style);
    const files = logFiles(io.env, { files: mostFiles });
    let unreadable = 0;
    const seen: SeenNames = { events: new Set(), tools: new Set(), handlers: new Set() };
    const print = async (line: string) => {
      const record = recordIn(line);
      if (record === undefined) unreadable++;
      else {
        addNames(record, seen);
        if (matches(record)) await io.out(`${show(record)}\n`);
      }
    };
    for await (const line of call.flag("follow") ? followLog(files, io.signal) : readLog(files)) await print(line);
    await warnUnreadable(unreadable, io);
    for (const note of notSeen(call, seen)) await io.err(`hookline: ${plainLine(note)}\n`);
    return 0;
  },
};

/** More than the default, since an app can keep more files. */
const mostFiles = 20;

function recordIn(line: string): LogRecord | undefined {
  const value = parseObject(line);
  return typeof value?.["time"] === "string" && typeof value["event"] === "string" ? (value as LogRecord) : undefined;
}

async function warnUnreadable(count: number, io: Io): Promise<void> {
  if (count > 0) await io.err(`hookline: ${plural(count, "line")} of the log could not be read.\n`);
}

/** The names in the records that were read. */
interface SeenNames {
  readonly events: Set<string>;
  readonly tools: Set<string>;
  readonly handlers: Set<string>;
}

function addNames(record: LogRecord, { events, tools, handlers }: SeenNames): void {
  events.add(record.event);
  if (typeof record["tool"] === "string") tools.add(record["tool"]);
  for (const name of handlerNames(record)) handlers.add(name);
}

/** A sentence for each name in a filter that no record has, when it is not the name of an event. */
function notSeen(call: ParsedCall, { events, tools, handlers }: SeenNames): readonly string[] {
  const { event, tool, handler } = namesIn(call);
  const isUnknown = (name: string, names: ReadonlySet<string>) => name !== "" && name !== "*" && !names.has(name);
  return [
    ...(isUnknown(event, new Set([...eventNames, ...events]))
      ? [noRecord("event", event, [...eventNames, ...events])]
      : []),
    ...(isUnknown(tool, tools) ? [noRecord("tool", tool, tools)] : []),
    ...(isUnknown(handler, handlers) ? [noRecord("handler", handler, handlers)] : []),
  ];
}

function noRecord(what: string, name: string, known: Iterable<string>): string {
  const near = closestName(name, known);
  return `The log has no ${what} "${name}".${near === undefined ? "" : ` Did you mean "${near}"?`}`;
}

/** One line per record: time, event, answer, duration, handlers and reason, with the stacks of failures below it. */
function logLine(record: LogRecord, style: Style): string {
  const parts = record["message"] === undefined ? eventParts(record, style) : messageParts(record, style);
  const time = record.time.replace("T", " ").replace("Z", "");
  const line = [style.dim(escapeControls(time)), escapeControls(subjectOf(record)), ...parts]
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
  const answer = escapeControls(String(record["answer"] ?? (record["failed"] === undefined ? "" : "failed")));
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

interface LoggedHandler {
  readonly name: string;
  readonly outcome: string;
  readonly error?: string;
  readonly stack?: string;
}

/** A test for the records that a call asks for: all of its filters must match. */
function logFilter(call: ParsedCall): (record: LogRecord) => boolean {
  const session = call.text("session");
  const { event, tool, handler } = namesIn(call);
  const answer = logAnswer(call.text("decision"));
  const slowMs = milliseconds(call.text("slow"));
  const sinceMs = sinceTime(call.text("since"));
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

function logAnswer(decision: string | undefined): string | undefined {
  if (decision === undefined || Object.hasOwn(answers, decision)) return decision && answers[decision];
  const near = closestName(decision, Object.keys(answers));
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `Unknown --decision "${decision}". Use allow, ask, defer, refused, halt or none.${hint}`;
  throw new Problem("cli/usage", message);
}

function milliseconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new Problem("cli/usage", `--slow must be a number of milliseconds, such as 100, not "${text}".`);
}

/** `30m`, `2h`, `7d`, or a date in UTC, as the log prints times. */
function sinceTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = timeBefore(text) ?? Date.parse(text);
  if (!Number.isNaN(time)) return time;
  const message = `--since must be a duration such as 30m, 2h or 7d, or a date, not "${text}".`;
  throw new Problem("cli/usage", message);
}
