import type { WirePayload } from "../../sdk/index.ts";
import {
  type AppRuntime,
  appendLog,
  appFailure,
  type FailureMode,
  type LogRecord,
  type WireAnswer,
} from "../../sdk/internal.ts";
import type { PackageCode } from "../code-cache.ts";
import type { RunArguments } from "./run-arguments.ts";
import { warn } from "./stdout.ts";

/** What is known so far, for a failure at any time. */
export interface RunState {
  readonly call: RunArguments;
  readonly code: PackageCode | undefined;
  readonly exit: (code: number) => never;
  app: AppRuntime | undefined;
  payload: WirePayload | undefined;
  /** The exit code, once the answer is written. */
  answered: number | undefined;
}

export function modeOf(state: RunState): FailureMode {
  const { onFailure } = state.call;
  return state.app?.modeFor(eventOf(state), onFailure) ?? onFailure ?? "continue";
}

export function eventOf({ payload, call }: RunState): string | undefined {
  return payload === undefined ? call.event : String(payload["hook_event_name"]);
}

/** The answer of a failure of the whole app, and its record for the log. */
export function failureOf(message: string, state: RunState): WireAnswer & { readonly record: LogRecord } {
  const failure = appFailure(message, modeOf(state), state.payload);
  const answer = failure.exitCode === 2 ? "refused" : "none";
  return { ...failure, record: logRecord(state, { answer, failed: message }) };
}

export function logRun(state: RunState, fields: Readonly<Record<string, unknown>>): void {
  appendLog(logRecord(state, fields), process.env, warn);
}

function logRecord(state: RunState, fields: Readonly<Record<string, unknown>>): LogRecord {
  return { time: new Date().toISOString(), event: eventOf(state) ?? "", ...logFields(state.call), ...fields };
}

/** For the log: the caller, and whether a daemon may already have run some handlers. */
export function logFields({ because }: RunArguments): Readonly<Record<string, unknown>> {
  if (because === undefined) return { transport: "run" };
  return { transport: "client", inProcess: because, ...(because === "rerun" ? { rerun: true } : {}) };
}
