import { escapeControls, escapeJson } from "../../protocol/internal.ts";
import { type LogRecord, logFiles } from "../../sdk/internal.ts";
import type { Command, Io } from "../command-line/command.ts";
import { handlersOf, hasFailed, wantedBy } from "../log/filter.ts";
import { follow, linesOf } from "../log/follow.ts";
import { counted } from "../print/figures.ts";
import { type Style, styleFor } from "../print/style.ts";

export const command: Command = {
  usage:
    "[--follow] [--session S] [--event E] [--handler H] [--decision D] [--failed] [--slow MS] [--since T] [--json]",
  about: `Shows what hooks did: one line per event, and what handlers wrote with ctx.log.

The log lies in the user's state folder and is bounded; an app turns it off with createApp({ log: false }). With several options a line
must fit all of them. Control characters are shown escaped. The exit status is 0, also when nothing fits.`,
  options: {
    follow: { type: "boolean", short: "f", about: "go on with what is written from now, until interrupted" },
    session: { type: "string", value: "ID", about: "of this session; the beginning of its id is enough" },
    event: { type: "string", value: "EVENT[:TOOL]", about: "about this event" },
    handler: { type: "string", value: "NAME", about: "that this handler was part of" },
    decision: {
      type: "string",
      value: "WORD",
      about: "answered so: allow, ask, defer, refused (or deny, block), halt, none",
    },
    failed: { type: "boolean", about: "with a failure" },
    slow: { type: "string", value: "MS", about: "that took at least so long" },
    since: { type: "string", value: "SPAN|DATE", about: "not older than 30m, 2h, 7d, or since a date" },
    json: { type: "boolean", about: "print the records themselves, one JSON object per line" },
  },
  examples: ["hookline log --since 1h --failed", "hookline log --follow --event PreToolUse:Bash"],
  async run(call, io) {
    const wanted = wantedBy(call, Date.now());
    const style = styleFor(io);
    const show = (record: LogRecord) =>
      call.flag("json") ? escapeJson(JSON.stringify(record)) : logLine(record, style);
    // More than there are, mostly: an app may keep more of them than usual.
    const files = logFiles(io.env, { files: mostFiles });
    let unreadable = 0;
    const print = async (line: string) => {
      const record = recordIn(line);
      if (record === undefined) unreadable++;
      else if (wanted(record)) await io.out(`${show(record)}\n`);
    };
    for await (const line of call.flag("follow") ? follow(files, io.signal) : linesOf(files)) await print(line);
    await tellUnreadable(unreadable, io);
    return 0;
  },
};

const mostFiles = 20;

function recordIn(line: string): LogRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return undefined;
    const { time, event } = value as Record<string, unknown>;
    return typeof time === "string" && typeof event === "string" ? (value as LogRecord) : undefined;
  } catch {
    return undefined; // counted and told
  }
}

async function tellUnreadable(count: number, io: Io): Promise<void> {
  if (count > 0) await io.err(`hookline: ${counted(count, "line")} of the log cannot be read.\n`);
}

/** One record for people: when, what, the answer, how long, who said what on one line, and the stacks of failures below it. */
function logLine(record: LogRecord, style: Style): string {
  const said = record["message"] === undefined ? eventWords(record, style) : ownWords(record, style);
  const time = record.time.replace("T", " ").replace("Z", "");
  const line = [style.dim(escapeControls(time)), escapeControls(whatOf(record)), ...said]
    .filter((part) => part !== "")
    .join("  ");
  return [line, ...stacksOf(record).map((frame) => style.dim(`    ${escapeControls(frame)}`))].join("\n");
}

function stacksOf(record: LogRecord): readonly string[] {
  const stacks = [record["stack"], ...handlersOf(record).map(({ stack }) => stack)];
  return stacks.flatMap((stack) => (typeof stack === "string" ? stack.split("\n") : []));
}

/** A text on one line, with a mark where a line of it ends. */
function onOneLine(text: string): string {
  return text.split(/\r?\n/).map(escapeControls).join(" ↵ ");
}

function whatOf(record: LogRecord): string {
  const what = record.event || (typeof record["task"] === "string" ? `task ${record["task"]}` : "-");
  return typeof record["tool"] === "string" ? `${what} ${record["tool"]}` : what;
}

function eventWords(record: LogRecord, style: Style): string[] {
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

function ownWords(record: LogRecord, style: Style): string[] {
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
