import type { CapturedOutput, OnLine } from "./output-capture.ts";

export interface ProcessOptions {
  readonly cwd: string;
  /** The whole environment of the process; nothing else is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Added to the environment; survivors are found and ended by it, so no other run may use the same value.
   * A run inside a run uses `outer/inner` as its value, so that it ends with the outer one.
   */
  readonly tag?: Tag;
  /** An open file descriptor that the process inherits as descriptor 3. */
  readonly inherits?: number | undefined;
  /** Written to stdin, which is then closed unless `keepInputOpen`. A process that does not read it is not an error. */
  readonly input?: string | Uint8Array;
  readonly keepInputOpen?: boolean;
  /** The time limit, counted from the start. `Infinity` means no limit. */
  readonly timeoutMs: number;
  /** Time between SIGTERM and SIGKILL. Default: 1,500 ms; at most 2,000 ms, so that a run settles 3 s after its limit. */
  readonly graceMs?: number;
  /** Time to read what is left in the pipes after the exit, when another process holds them open. Default: 250 ms. */
  readonly drainMs?: number;
  /** Bytes kept of each stream. Default: 1 MiB. */
  readonly capBytes?: number;
  readonly onLine?: OnLine;
  /** Whether `leaked` lists the processes left in the group after a normal exit. */
  readonly reportLeftBehind?: boolean;
  readonly signal?: AbortSignal;
}

export interface RunningProcess {
  /** Undefined when nothing could be started. */
  readonly pid: number | undefined;
  /** Never rejects. Resolves at most 3 s after the limit or the cancellation, whatever the process does. */
  readonly done: Promise<FinishedProcess>;
  /** Writes to a stdin that was kept open; ignored once it is closed. */
  write(text: string): void;
  endInput(): void;
  /** Stops the clock of the limit until `resumeDeadline` was called as often as `pauseDeadline`. */
  pauseDeadline(): void;
  resumeDeadline(): void;
  /** A new limit, counted from now. */
  setDeadline(timeoutMs: number): void;
  /** Ends the tree. */
  cancel(): void;
  /** Stdout and stderr received so far. */
  soFar(): { readonly stdout: string; readonly stderr: string };
  /** The process no longer keeps this one from exiting; nothing else changes. */
  unref(): void;
}

/** The result of a run. Whatever the process does, even if it could not be started, the result is this value; nothing is thrown. */
export interface FinishedProcess {
  readonly ended: ProcessEnd;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly durationMs: number;
  /** Processes that may still be alive after the tree was ended; after a normal exit only with `reportLeftBehind`. */
  readonly leaked: readonly SurvivingProcess[];
}

/** How a process ended. `afterMs` is the limit that passed, `why` a sentence for users, `code` the system's error code. */
export type ProcessEnd =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: string }
  | { readonly by: "timeout"; readonly afterMs: number }
  | { readonly by: "cancelled" }
  | { readonly by: "not-started"; readonly why: string; readonly code?: string };

/**
 * A process that outlived the end of its tree: it `survived` every signal, was `left-behind` after a normal exit, belongs to another user
 * (`not-permitted`), or is unknown and still `holds-output`.
 */
export type SurvivingProcess =
  | { readonly why: "survived" | "not-permitted" | "left-behind"; readonly pid: number; readonly name: string }
  | { readonly why: "holds-output" };

/** A variable in the environment of a process by which it and its children are found again. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}
