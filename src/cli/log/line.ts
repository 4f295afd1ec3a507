import { visible } from "../../protocol/index.ts";
import type { LogRecord } from "../../sdk/internal.ts";
import type { Style } from "../print/style.ts";
import { handlersOf, hasFailed } from "./filter.ts";

/** One record for people: when, what, the answer, how long, who said what on one line, and the stacks of failures below it. */
export function logLine(record: LogRecord, style: Style): string {
  const said = record["message"] === undefined ? eventWords(record, style) : ownWords(record, style);
  const time = record.time.replace("T", " ").replace("Z", "");
  const line = [style.dim(visible(time)), visible(whatOf(record)), ...said].filter((part) => part !== "").join("  ");
  return [line, ...stacksOf(record).map((frame) => style.dim(`    ${visible(frame)}`))].join("\n");
}

function stacksOf(record: LogRecord): readonly string[] {
  const stacks = [record["stack"], ...handlersOf(record).map(({ stack }) => stack)];
  return stacks.flatMap((stack) => (typeof stack === "string" ? stack.split("\n") : []));
}

/** A text on one line, with a mark where a line of it ends. */
function onOneLine(text: string): string {
  return text.split(/\r?\n/).map(visible).join(" ↵ ");
}

function whatOf(record: LogRecord): string {
  const what = record.event || (typeof record["task"] === "string" ? `task ${record["task"]}` : "-");
  return typeof record["tool"] === "string" ? `${what} ${record["tool"]}` : what;
}

function eventWords(record: LogRecord, style: Style): string[] {
  const answer = visible(String(record["answer"] ?? (record["failed"] === undefined ? "" : "failed")));
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
    style.dim(visible(record.session?.slice(0, 8) ?? "")),
  ];
}

function ownWords(record: LogRecord, style: Style): string[] {
  const { level, handler, message, data } = record as { [field: string]: unknown };
  const who = typeof handler === "string" ? `${handler}: ` : "";
  const more = data === undefined ? "" : ` ${JSON.stringify(data)}`;
  return [colourOf(record, style)(visible(String(level))), onOneLine(`${who}${String(message)}${more}`)];
}

function colourOf(record: LogRecord, style: Style): (text: string) => string {
  if (hasFailed(record)) return style.red;
  const { answer, level } = record as { [field: string]: unknown };
  return answer === "refused" || answer === "ask" || level === "warn" ? style.yellow : (text) => text;
}
