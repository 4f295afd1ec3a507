import { defined } from "../../protocol/internal.ts";
import type { AppWarning } from "../answer/accept-answers.ts";
import type { FoldedAnswer } from "../answer/fold-answers.ts";
import type { WireAnswer } from "../answer/wire-answer.ts";
import { eventLabels, type HookEvent } from "../app/hook-event.ts";
import type { LocatedError } from "../run/error-location.ts";
import type { LogRecord } from "./logger.ts";

/** What one handler did for an event. */
export interface HandlerTrace {
  readonly name: string;
  readonly outcome: "answered" | "passed" | "skipped" | "failed" | "timed-out" | "not-reached";
  readonly ms: number;
  readonly answers?: readonly string[];
  /** The reason of its first answer that has one. */
  readonly reason?: string;
  /** With the location in the author's file, if known. */
  readonly error?: string;
  /** One frame per line. */
  readonly stack?: string;
  /** A second run, on the final input. */
  readonly again?: true;
}

/** What came out of a chain of handlers, apart from its answers. */
export interface ChainResults {
  readonly warnings: AppWarning[];
  readonly trace: HandlerTrace[];
  readonly failures: (LocatedError & { readonly handler: string })[];
}

/** What the log keeps of one event: the answer, and what every handler did for it. */
export function eventLogRecord(
  event: HookEvent,
  wireAnswer: WireAnswer,
  folded: FoldedAnswer,
  run: ChainResults,
  troubles: readonly string[],
  ms: number,
  nowMs: number,
): LogRecord {
  const failure = run.failures.find(({ handler }) => handler === "middleware");
  const reason = folded.refusal?.reason ?? folded.halt ?? folded.decision?.reason;
  // Texts that the wire format of the event has no field for.
  const text = wireAnswer.stderr.trim();
  return {
    ...recordHead(event, nowMs),
    ...(typeof event["toolUseId"] === "string" ? { toolUseId: event["toolUseId"] } : {}),
    ms: rounded(ms),
    answer: answerLabel(folded),
    exit: wireAnswer.exitCode,
    ...defined({ reason, stderr: text === "" || text === reason ? undefined : text }),
    ...(failure ? defined({ failed: `middleware failed: ${failure.message}`, stack: failure.stack }) : {}),
    handlers: run.trace.map((one) => handlerOf(one, reason)),
    ...(run.warnings.length > 0 ? { warnings: run.warnings.map(({ code }) => code) } : {}),
    ...(troubles.length > 0 ? { troubles } : {}),
  };
}

/** The fields that the record of every event begins with. */
export function recordHead(event: HookEvent, nowMs: number): LogRecord {
  const tool = event["toolName"];
  return {
    time: new Date(nowMs).toISOString(),
    ...eventLabels(event),
    ...(typeof tool === "string" ? { tool } : {}),
  };
}

/** Answers that did not win are kept with their reasons; those of the winner are the record's. */
function handlerOf(
  { name, outcome, ms, error, stack, answers, reason }: HandlerTrace,
  won: string | undefined,
): object {
  const lost = reason !== undefined && reason !== won;
  return {
    name,
    outcome,
    ms: rounded(ms),
    ...(lost ? { answers, reason } : {}),
    ...defined({ error, stack }),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function answerLabel({ halt, refusal, approval, decision }: FoldedAnswer): string {
  if (halt !== undefined) return "halt";
  if (refusal) return "refused";
  return decision?.kind ?? (approval ? "allow" : "none");
}

const longestLine = 64 * 1024;
const longestText = 4_096;

/** A record as one line of bounded length: authors can log any value of any size. */
export function logLine(record: LogRecord): string {
  const [text, plain] = written(record);
  if (text.length <= longestLine) return text;
  const short = Object.entries(plain).map(([name, value]) => [name, shortened(value)]);
  return JSON.stringify({ ...Object.fromEntries(short), cut: true });
}

/** The line, and the record it was made of: data may hold a circular reference, a BigInt, or a toJSON that throws. */
function written(record: LogRecord): readonly [string, LogRecord] {
  try {
    return [JSON.stringify(record), record];
  } catch {
    const plain = { ...record, data: toJsonSafe(record["data"]) };
    return [JSON.stringify(plain), plain];
  }
}

/** The part that JSON can hold; without one, the name of its type. */
function toJsonSafe(data: unknown): unknown {
  const above: unknown[] = [];
  const plain = function (this: unknown, _key: string, value: unknown): unknown {
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    above.length = above.indexOf(this) + 1;
    if (above.includes(value)) return "[ring]";
    above.push(value);
    return value;
  };
  try {
    return JSON.parse(JSON.stringify(data, plain));
  } catch {
    return Object.prototype.toString.call(data);
  }
}

function shortened(value: unknown): unknown {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length <= longestText ? value : `${text.slice(0, longestText)}…`;
}
