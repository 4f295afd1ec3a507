import type { LogRecord } from "../../sdk/index.ts";
import type { Style } from "../print/style.ts";
import { handlersOf, hasFailed } from "./wanted.ts";

/** One record for people, on one line: when, what, the answer, how long, who said what. */
export function logLine(record: LogRecord, style: Style): string {
  const said = record["message"] === undefined ? eventWords(record, style) : ownWords(record, style);
  const time = record.time.replace("T", " ").replace("Z", "");
  return [style.dim(visible(time)), visible(whatOf(record)), ...said].filter((part) => part !== "").join("  ");
}

/** Control characters, and marks that turn the direction of text, are shown and never sent to a terminal. */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The same for a text of several lines. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
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
    visible(handlers.join(", ")),
    reason === undefined ? "" : `“${visible(String(reason))}”`,
    style.dim(visible(record.session?.slice(0, 8) ?? "")),
  ];
}

function ownWords(record: LogRecord, style: Style): string[] {
  const { level, handler, message, data } = record as { [field: string]: unknown };
  const who = typeof handler === "string" ? `${handler}: ` : "";
  const more = data === undefined ? "" : ` ${JSON.stringify(data)}`;
  return [colourOf(record, style)(visible(String(level))), visible(`${who}${String(message)}${more}`)];
}

function colourOf(record: LogRecord, style: Style): (text: string) => string {
  if (hasFailed(record)) return style.red;
  const { answer, level } = record as { [field: string]: unknown };
  return answer === "refused" || answer === "ask" || level === "warn" ? style.yellow : (text) => text;
}
