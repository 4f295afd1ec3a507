import type { HookEvent } from "../app/hook-event.ts";

/** One line of the hook log: what happened to one event, or what a handler wrote. */
export interface LogRecord {
  readonly time: string;
  readonly session?: string;
  readonly event: string;
  readonly [field: string]: unknown;
}

/** `ctx.log`: to the hook log with the handler's name; from `warn` up to stderr as well. */
export interface Logger {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

type Level = keyof Logger;

/** Where lines go. */
export interface LogTarget {
  readonly now: () => number;
  /** Undefined: nothing is logged. */
  readonly log?: (record: LogRecord) => void;
  readonly complain: (line: string) => void;
}

/** The logger of one handler, middleware or task for one event. */
export function eventLogger(event: HookEvent, target: LogTarget, handler: string): Logger {
  const write = (level: Level, message: string, data: unknown) =>
    target.log?.({
      time: new Date(target.now()).toISOString(),
      ...(event.sessionId ? { session: event.sessionId } : {}),
      event: event.name,
      handler,
      level,
      message,
      ...(data === undefined ? {} : { data }),
    });
  return loggerFor(handler, write, target.complain);
}

export function loggerFor(
  handler: string,
  write: (level: Level, message: string, data: unknown) => void,
  complain: (line: string) => void,
): Logger {
  const at = (level: Level, loud: boolean) => (message: string, data?: unknown) => {
    write(level, message, data);
    if (loud) complain(`${level} ${handler}: ${message}`);
  };
  return { debug: at("debug", false), info: at("info", false), warn: at("warn", true), error: at("error", true) };
}
