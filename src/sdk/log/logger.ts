import { defined } from "../../protocol/internal.ts";
import { eventLabels, type HookEvent } from "../app/hook-event.ts";

/** One line of the hook log: what happened to one event, or what a handler wrote. */
export interface LogRecord {
  readonly time: string;
  readonly session?: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

/** `ctx.log`: to the hook log with the handler's name; from `warn` up to stderr as well. */
export interface Logger {
  /** For details. */
  debug(message: string, data?: unknown): void;
  /** For normal events. */
  info(message: string, data?: unknown): void;
  /** For what may be wrong. */
  warn(message: string, data?: unknown): void;
  /** For failures. */
  error(message: string, data?: unknown): void;
}

type Level = keyof Logger;

/** Where lines go. */
export interface LogTarget {
  readonly now: () => number;
  /** Undefined: nothing is logged. */
  readonly log?: (record: LogRecord) => void;
  /** Reports trouble to the user at once: one message per call, on one line or with a stack below it. */
  readonly complain: (line: string) => void;
}

/** The logger of one handler, middleware or task for one event. */
export function eventLogger(event: HookEvent, target: LogTarget, handler: string): Logger {
  return loggerFor(handler, { ...eventLabels(event), handler }, target);
}

export function loggerFor(
  name: string,
  about: Pick<LogRecord, "event" | "session"> & Readonly<Record<string, unknown>>,
  { now, log, complain }: LogTarget,
): Logger {
  const at = (level: Level, isLoud: boolean) => (message: string, data?: unknown) => {
    log?.({ time: new Date(now()).toISOString(), ...about, level, message, ...defined({ data }) });
    if (isLoud) complain(`${level} ${name}: ${message}`);
  };
  return { debug: at("debug", false), info: at("info", false), warn: at("warn", true), error: at("error", true) };
}
