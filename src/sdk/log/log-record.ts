import type { Folded } from "../answer/fold-answers.ts";
import type { Spelled } from "../answer/wire-answer.ts";
import type { HookEvent } from "../app/hook-event.ts";
import type { ChainRun, HandlerTrace } from "../run/handler-chain.ts";
import type { LogRecord } from "./logger.ts";

/** What the log keeps of one event: the answer, and what every handler did for it. */
export function recordOf(
  event: HookEvent,
  spelled: Spelled,
  folded: Folded,
  run: ChainRun,
  ms: number,
  nowMs: number,
): LogRecord {
  const around = run.failures.find(({ handler }) => handler === "middleware");
  const reason = folded.refusal?.reason ?? folded.halt ?? folded.decision?.reason;
  // What the event's form has no room for.
  const aside = spelled.stderr.trim();
  return {
    time: new Date(nowMs).toISOString(),
    ...(event.sessionId ? { session: event.sessionId } : {}),
    event: event.name,
    ...(typeof event["toolName"] === "string" ? { tool: event["toolName"] } : {}),
    ...(typeof event["toolUseId"] === "string" ? { toolUseId: event["toolUseId"] } : {}),
    ms: rounded(ms),
    answer: answerWord(folded),
    exit: spelled.exitCode,
    ...(reason === undefined ? {} : { reason }),
    ...(aside === "" || aside === reason ? {} : { stderr: aside }),
    ...(around === undefined ? {} : { failed: `middleware failed: ${around.message}` }),
    ...(around?.stack === undefined ? {} : { stack: around.stack }),
    handlers: run.trace.map((one) => handlerOf(one, reason)),
    ...(run.warnings.length > 0 ? { warnings: run.warnings.map(({ code }) => code) } : {}),
    ...(run.troubles.length > 0 ? { troubles: run.troubles } : {}),
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
    ...(error === undefined ? {} : { error }),
    ...(stack === undefined ? {} : { stack }),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function answerWord({ halt, refusal, approval, decision }: Folded): string {
  if (halt !== undefined) return "halt";
  if (refusal) return "refused";
  return decision?.kind ?? (approval ? "allow" : "none");
}
