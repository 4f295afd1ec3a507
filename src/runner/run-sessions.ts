import { availableParallelism } from "node:os";
import {
  callHost,
  checkNamed,
  defined,
  messageOf,
  mustBe,
  type OptionCheck,
  Problem,
  showValue,
} from "../protocol/internal.ts";
import { type RunnerPorts, runSession } from "./run-session.ts";
import { costOfCalls } from "./run-transcript.ts";
import { checkSessionCall, type SessionCall } from "./session-call.ts";
import type { SessionResult } from "./session-result.ts";

/** The options of `runSessions`. */
export interface RunSessionsOptions extends RunnerPorts {
  /** How many run at a time. Default: the smaller of 4 and the number of cores. */
  readonly limit?: number;
  /** The first that is not answered ends the others. */
  readonly failFast?: boolean;
  /** Ends all of them. */
  readonly signal?: AbortSignal;
  /** Called with each result as it comes. What it throws is a warning of that result. */
  readonly onResult?: (result: SessionResult, index: number) => void;
}

/**
 * Runs several sessions at a time. Results are in the order of the calls; one that fails stops no other without `failFast`. One that was
 * ended before it began is `interrupted` and has no session.
 */
export async function runSessions(
  calls: readonly SessionCall[],
  options: RunSessionsOptions = {},
): Promise<readonly SessionResult[]> {
  if (!Array.isArray(calls)) throw badCalls(calls);
  checkNamed("runSessions", options, checks);
  for (const call of calls) checkSessionCall(call);
  const { limit = Math.min(4, availableParallelism()), failFast = false, onResult, signal } = options;
  const results: SessionResult[] = [];
  const enough = new AbortController();
  const all = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  let next = 0;

  async function work(): Promise<void> {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index] as SessionCall;
      const own = call.signal === undefined ? all : AbortSignal.any([call.signal, all]);
      const result = own.aborted ? notStarted : await runOrReport({ ...call, signal: own }, options);
      results[index] = result;
      callHost(
        () => onResult?.(result, index),
        (error) => {
          const warning = { code: "observer-threw", message: `onResult threw: ${messageOf(error)}` } as const;
          results[index] = { ...result, warnings: [...result.warnings, warning] };
        },
      );
      if (failFast && result.ended !== "answered") enough.abort();
    }
  }

  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, calls.length)) }, work));
  return results;
}

function badCalls(calls: unknown): Problem {
  const message = `The first argument of runSessions must be a list of calls, such as [{ prompt: "…" }], not ${showValue(calls)}.`;
  return new Problem("host/bad-option", message);
}

const checks: Readonly<Record<keyof RunSessionsOptions, OptionCheck>> = {
  limit: mustBe.wholeNumber,
  failFast: mustBe.boolean,
  signal: mustBe.abortSignal,
  onResult: mustBe.function,
  program: mustBe.text,
};

/** A session that cannot be found, or whose files cannot be written, must not end the others. */
async function runOrReport(call: SessionCall, { program }: RunnerPorts): Promise<SessionResult> {
  try {
    return await runSession(call, defined({ program }));
  } catch (error) {
    return { ...notStarted, ended: "error", error: messageOf(error) };
  }
}

const notStarted: SessionResult = {
  answer: "",
  answerSource: "none",
  sessionId: "",
  ended: "interrupted",
  exitCode: null,
  error: "ended before it began",
  turns: 0,
  durationMs: 0,
  ...costOfCalls([]),
  toolCalls: [],
  denials: [],
  warnings: [],
};
