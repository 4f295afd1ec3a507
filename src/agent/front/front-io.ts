import type { Readable } from "node:stream";
import { stripControl } from "../../protocol/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { AgentControl } from "../agent-ports.ts";

/** The streams and signals of the agent's process. */
export interface FrontIo {
  readonly stdin: Readable | NodeJS.ReadableStream;
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  /** Calls the listener for every signal until the returned function is called. */
  onSignal(listener: (signal: SignalName) => void): () => void;
  /** Exits the process immediately. */
  leave(status: number): void;
}

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export const signalStatus: Readonly<Record<SignalName, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Exits immediately after a second Ctrl-C, and kills every process of the session. */
export async function exitNow(control: AgentControl | undefined, io: FrontIo): Promise<void> {
  await control?.abandon();
  io.leave(signalStatus.SIGINT);
}

/** The line about an event for stderr, without terminal control sequences; empty for events that have none. */
export function noticeText(event: AgentEvent): string {
  if (event.kind === "notice") return `${stripControl(event.text)}\n`;
  if (event.kind === "warning") return `hookline: ${stripControl(event.warning.message)}\n`;
  if (event.kind !== "retry") return "";
  const { attempt, tries, waitMs, error } = event.retry;
  const wait = `${(waitMs / 1000).toFixed(1)} s`;
  return `API error (${stripControl(error.message)}); try ${attempt} of ${tries} failed, next in ${wait}\n`;
}
