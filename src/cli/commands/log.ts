import { escapeControls, escapeJson, parseObject } from "../../protocol/internal.ts";
import { type LogRecord, logFiles } from "../../sdk/internal.ts";
import type { Command, Io } from "../command-line/command.ts";
import { handlersOf, hasFailed, logFilter } from "../log/filter.ts";
import { followLog, readLog } from "../log/follow.ts";
import { plural } from "../print/figures.ts";
import { type Style, styleFor } from "../print/style.ts";

export const command: Command = {
  usage:
    "[--follow] [--session S] [--event E] [--handler H] [--decision D] [--failed] [--slow MS] [--since T] [--json]",
  about: `Shows what hooks did: one line per event, and what handlers wrote with ctx.log.

The log is in the user's state directory and is size-limited; an app turns it off with createApp({ log: false }). When several filters
are given, a record must match all of them. Control characters are escaped. Exit status: 0, also when no record matches.`,
  options: {
    follow: { type: "boolean", short: "f", about: "keep printing new records until interrupted" },
    session: { type: "string", value: "ID", about: "only this session; the beginning of its id is enough" },
    event: { type: "string", value: "EVENT[:TOOL]", about: "only this event" },
    handler: { type: "string", value: "NAME", about: "only events that this handler received" },
    decision: {
      type: "string",
      value: "DECISION",
      about: "only allow, ask, defer, refused (or deny, block), halt or none",
    },
    failed: { type: "boolean", about: "only failures" },
    slow: { type: "string", value: "MS", about: "only calls that took at least this long" },
    since: { type: "string", value: "SPAN|DATE", about: "only since 30m, 2h or 7d ago, or since a date" },
    json: { type: "boolean", about: "print one JSON object per line" },
  },
  examples: ["hookline log --since 1h --failed", "hookline log --follow --event PreToolUse:Bash"],
  async run(call, io) {
    const matches = logFilter(call, Date.now());
    const style = styleFor(io);
    const show = (record: LogRecord) =>
      call.flag("json") ? escapeJson(JSON.stringify(record)) : logLine(record, style);
    const files = logFiles(io.env, { files: mostFiles });
    let unreadable = 0;
    const print = async (line: string) => {
      const record = recordIn(line);
      if (record === undefined) unreadable++;
      else if (matches(record)) await io.out(`${show(record)}\n`);
    };
    for await (const line of call.flag("follow") ? followLog(files, io.signal) : readLog(files)) await print(line);
    await warnUnreadable(unreadable, io);
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
    colourOf(record, style)(answer),
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
  return [colourOf(record, style)(escapeControls(String(level))), onOneLine(`${who}${String(message)}${more}`)];
}

function colourOf(record: LogRecord, style: Style): (text: string) => string {
  if (hasFailed(record)) return style.red;
  const { answer, level } = record as { [field: string]: unknown };
  return answer === "refused" || answer === "ask" || level === "warn" ? style.yellow : (text) => text;
}
