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
