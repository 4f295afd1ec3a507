import { closestName, Problem } from "../../protocol/internal.ts";
import type { LogRecord } from "../../sdk/internal.ts";
import type { ParsedCall } from "../command-line/command.ts";

export interface LoggedHandler {
  readonly name: string;
  readonly outcome: string;
  readonly ms: number;
  readonly error?: string;
  readonly stack?: string;
}

/** A test for the records that a call asks for: all of its filters must match. */
export function logFilter(call: ParsedCall, now: number): (record: LogRecord) => boolean {
  const tests: ((record: LogRecord) => boolean)[] = [];
  const session = call.text("session");
  if (session !== undefined) tests.push((record) => record.session?.startsWith(session) === true);
  const [event, tool] = (call.text("event") ?? "").split(":", 2);
  if (event) tests.push((record) => record.event === event);
  if (tool && tool !== "*") tests.push((record) => record["tool"] === tool);
  const handler = call.text("handler");
  if (handler !== undefined) {
    tests.push((record) => record["handler"] === handler || handlersOf(record).some(({ name }) => name === handler));
  }
  const decision = call.text("decision");
  if (decision !== undefined) {
    const answer = logAnswer(decision);
    tests.push((record) => record["answer"] === answer);
  }
  if (call.flag("failed")) tests.push(hasFailed);
  const slow = call.text("slow");
  if (slow !== undefined) {
    const ms = milliseconds(slow);
    tests.push((record) => Number(record["ms"]) >= ms);
  }
  const since = call.text("since");
  if (since !== undefined) {
    const from = sinceTime(since, now);
    tests.push((record) => Date.parse(record.time) >= from);
  }
  return (record) => tests.every((test) => test(record));
}

export function handlersOf(record: LogRecord): readonly LoggedHandler[] {
  return Array.isArray(record["handlers"]) ? (record["handlers"] as LoggedHandler[]) : [];
}

export function hasFailed(record: LogRecord): boolean {
  if (record["failed"] !== undefined || record["level"] === "error") return true;
  return handlersOf(record).some(({ outcome }) => outcome === "failed" || outcome === "timed-out");
}

/** The answers in the log by name. The log has one for all kinds of denial. */
const answers: Readonly<Record<string, string>> = {
  ...{ allow: "allow", ask: "ask", defer: "defer", halt: "halt", none: "none" },
  ...{ refused: "refused", deny: "refused", block: "refused", denied: "refused", blocked: "refused" },
};

function logAnswer(decision: string): string {
  const answer = answers[decision];
  if (answer !== undefined) return answer;
  const near = closestName(decision, Object.keys(answers));
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `Unknown --decision "${decision}". Use allow, ask, defer, refused, halt or none.${hint}`;
  throw new Problem("cli/usage", message, { about: { decision } });
}

function milliseconds(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number >= 0) return number;
  throw new Problem("cli/usage", `--slow must be a number of milliseconds, such as 100, not "${text}".`, {
    about: { text },
  });
}

const units: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

/** `30m`, `2h`, `7d`, or a date in UTC, as the log prints times. */
function sinceTime(text: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (units[unit] ?? 0);
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  const message = `--since must be a duration such as 30m, 2h or 7d, or a date, not "${text}".`;
  throw new Problem("cli/usage", message, { about: { text } });
}
