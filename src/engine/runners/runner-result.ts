import { type Ended, type HookModelUsage, messageOf, type Warning } from "../../protocol/internal.ts";
import { duration, type Limit, type Waited } from "./run-limits.ts";

/** What a runner brings back: how the run ended and what was said, not yet read by the event's row. */
export interface RunnerResult {
  readonly ended: Ended;
  readonly said: RunnerOutput;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes?: { readonly stdout: number; readonly stderr: number };
  readonly spent?: readonly HookModelUsage[];
  /** Why the run counts as failed, as a text for the user. */
  readonly failure?: string;
  readonly warnings: readonly Warning[];
  /** A file of `export` lines that the hook wrote for later shell calls. */
  readonly envFile?: string;
}

export type RunnerOutput =
  /** A process: `exit` is null when a signal ended it; `whole` is false when output was cut. */
  | { readonly kind: "printed"; readonly exit: number | null; readonly whole: boolean }
  /** An http body or the text of an MCP tool, in `stdout`; `ok` is false under an error status. */
  | { readonly kind: "body"; readonly ok: boolean; readonly whole: boolean }
  /** What a callback returned. */
  | { readonly kind: "returned"; readonly value: unknown }
  /** A model's or function's judgement. */
  | {
      readonly kind: "judged";
      readonly ok: boolean;
      readonly reason?: string;
      readonly impossible?: boolean;
      readonly continueOnBlock: boolean;
    }
  | { readonly kind: "nothing" };

/** The part of a `Ran` that is the same for every run that brought nothing. */
export const emptyOutput = { said: { kind: "nothing" }, stdout: "", stderr: "", warnings: [] } as const;

/** A run that never began, and why. */
export function resultNotStarted(why: string, warnings: readonly Warning[] = []): RunnerResult {
  return { ...emptyOutput, ended: { by: "not-started", why }, failure: why, warnings };
}

/** A wait that ended without an answer. What a hook says after its time is dropped. */
export function resultWithoutAnswer(
  waited: Exclude<Waited<unknown>, { by: "answered" }>,
  limit: Limit,
  warnings: readonly Warning[] = [],
): RunnerResult {
  if (waited.by === "cancelled") {
    return { ...emptyOutput, ended: { by: "cancelled" }, failure: "cancelled before it answered", warnings };
  }
  if (waited.by === "timeout") {
    const failure = `no answer within ${duration(limit.timeoutMs)}`;
    return { ...emptyOutput, ended: { by: "timeout", afterMs: limit.timeoutMs }, failure, warnings };
  }
  const message = messageOf(waited.error);
  return { ...emptyOutput, ended: { by: "threw", message }, failure: message, warnings };
}

/** What is kept of one hook's output, in bytes of UTF-8. */
export const maxOutputBytes: number = 1024 * 1024;

/** The beginning of a text that fits, and how many bytes were left out. */
export function truncateUtf8(
  text: string,
  most: number = maxOutputBytes,
): { readonly text: string; readonly dropped: number } {
  if (text.length * 3 <= most) return { text, dropped: 0 };
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return { text, dropped: 0 };
  const kept = wholeCharacters(bytes, most);
  return { text: bytes.toString("utf8", 0, kept), dropped: bytes.length - kept };
}

/** The largest length up to `most` that does not cut a character in two. */
export function wholeCharacters(bytes: Buffer, most: number): number {
  let length = Math.min(most, bytes.length);
  if (length === bytes.length) return length;
  // Bytes 10xxxxxx continue a character; at most three of them do.
  for (let back = 0; back < 3 && length > 0 && ((bytes[length] ?? 0) & 0xc0) === 0x80; back++) length--;
  return length;
}
