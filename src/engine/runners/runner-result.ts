import { type Ended, messageOf, type RunRecord, type Warning } from "../../protocol/internal.ts";
import type { ModelReply } from "../ports.ts";
import { duration, type Limit, type Waited } from "./run-limits.ts";

/** The result of a runner: how the run ended and its output, not yet read by the event's row. */
export interface RunnerResult {
  readonly ended: Ended;
  readonly output: RunnerOutput;
  readonly stdout: string;
  readonly stderr: string;
  readonly droppedBytes?: RunRecord["droppedBytes"] | undefined;
  readonly spent?: RunRecord["spent"] | undefined;
  /** Why the run counts as failed, as a text for the user. */
  readonly failure?: string | undefined;
  readonly warnings: readonly Warning[];
  /** A file of `export` lines that the hook wrote for later shell calls. */
  readonly envFile?: string | undefined;
}

export type RunnerOutput =
  /** A process: `exit` is null when a signal ended it; `whole` is false when output was cut. */
  | { readonly kind: "printed"; readonly exit: number | null; readonly whole: boolean }
  /** An http body or the text of an MCP tool, in `stdout`; `ok` is false under an error status. */
  | { readonly kind: "body"; readonly ok: boolean; readonly whole: boolean }
  /** What a callback returned. */
  | { readonly kind: "returned"; readonly value: unknown }
  /** A model's or function's judgment. */
  | (ModelReply & { readonly kind: "judged"; readonly continueOnBlock: boolean })
  | { readonly kind: "nothing" };

/** The part that is the same for every run without output. */
export const emptyOutput = { output: { kind: "nothing" }, stdout: "", stderr: "", warnings: [] } as const;

/** A run without an answer that can be used, and why. */
export function failedResult(ended: Ended, failure: string, warnings: readonly Warning[] = []): RunnerResult {
  return { ...emptyOutput, ended, failure, warnings };
}

/** A run that never began, and why. */
export function resultNotStarted(why: string, warnings?: readonly Warning[]): RunnerResult {
  return failedResult({ by: "not-started", why }, why, warnings);
}

/** A wait that ended without an answer. What a hook answers after its time is dropped. */
export function resultWithoutAnswer(
  waited: Exclude<Waited<unknown>, { by: "answered" }>,
  { timeoutMs }: Limit,
  warnings?: readonly Warning[],
): RunnerResult {
  if (waited.by === "cancelled") return failedResult({ by: "cancelled" }, "cancelled before it answered", warnings);
  if (waited.by === "timeout") {
    return failedResult({ by: "timeout", afterMs: timeoutMs }, `timed out after ${duration(timeoutMs)}`, warnings);
  }
  const message = messageOf(waited.error);
  return failedResult({ by: "threw", message }, message, warnings);
}

/** What is kept of one hook's output, in bytes of UTF-8. */
export const maxOutputBytes: number = 1024 * 1024;

/** Bytes of stdout that were dropped, as a record counts them. */
export function droppedFromStdout(bytes: number): RunnerResult["droppedBytes"] {
  return bytes > 0 ? { stdout: bytes, stderr: 0 } : undefined;
}

/** The beginning of a text that fits, and how many bytes were left out. */
export function truncateUtf8(text: string, most: number = maxOutputBytes) {
  if (text.length * 3 <= most) return { text, dropped: 0 };
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return { text, dropped: 0 };
  let kept = most;
  // Bytes 10xxxxxx continue a character; at most three of them do.
  while (kept > 0 && ((bytes[kept] ?? 0) & 0xc0) === 0x80) kept--;
  return { text: bytes.toString("utf8", 0, kept), dropped: bytes.length - kept };
}
