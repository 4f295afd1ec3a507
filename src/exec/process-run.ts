import type { CapturedOutput, OnLine } from "./output-capture.ts";
import type { Tag } from "./process-family.ts";

export interface ProcessOptions {
  readonly cwd: string;
  /** The whole environment of the process; nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Put into the environment, and the mark by which survivors are found and ended: no other run may have the same.
   * A run inside a run writes `outer/inner` as its value, so that it goes with the outer one.
   */
  readonly tag?: Tag;
  /** An open file that the process inherits as its fourth, beside stdin, stdout and stderr. */
  readonly inherits?: number | undefined;
  /** Written to stdin, which is then closed unless `keepInputOpen`. A process that does not read it is no error. */
  readonly input?: string | Uint8Array;
  readonly keepInputOpen?: boolean;
  /** The limit from the start on. `Infinity` is none. */
  readonly timeoutMs: number;
  /** Time between the request to end and the kill; 1,500 ms unless told, 2,000 ms at most, so that a run settles 3 s after its limit. */
  readonly graceMs?: number;
  /** Time for reading what is left in the pipes after the exit, when another process holds them open; 250 ms by default. */
  readonly drainMs?: number;
  /** Bytes kept of each stream; 1 MiB unless told. */
  readonly capBytes?: number;
  readonly onLine?: OnLine;
  /** Whether `leaked` names the processes that one which ended by itself left in its group. */
  readonly reportLeftBehind?: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds, for `durationMs` only. Limits always run on the real clock. */
  readonly now?: () => number;
}

export interface RunningProcess {
  /** Absent when nothing could be started. */
  readonly pid: number | undefined;
  /** Never rejects. Resolves at most 3 s after the limit or the cancelling, whatever the process does. */
  readonly done: Promise<FinishedProcess>;
  /** Writes to stdin kept open; ignored once it is closed. */
  write(text: string): void;
  endInput(): void;
  /** The clock of the limit stands still until as many resumes as pauses were called. */
  pauseDeadline(): void;
  resumeDeadline(): void;
  /** A new limit, counted from now. */
  setDeadline(timeoutMs: number): void;
  /** Ends the tree. */
  cancel(): void;
  /** Stdout and stderr as far as they have come. */
  soFar(): { readonly stdout: string; readonly stderr: string };
  /** The process no longer keeps this one from exiting; everything else stays as it is. */
  unref(): void;
}

/** What a run came to. Whatever a process does, and even if there never was one, it is told as this value and never thrown. */
export interface FinishedProcess {
  readonly ended: ProcessEnd;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly durationMs: number;
  /** Processes of an ended tree that may still live; on a normal end only when `reportLeftBehind` asks for those it left behind. */
  readonly leaked: readonly SurvivingProcess[];
}

/** How a process ended. `afterMs` is the limit that was in force, `why` a sentence for people, `code` the system's error code. */
export type ProcessEnd =
  | { readonly by: "exit"; readonly code: number }
  | { readonly by: "signal"; readonly signal: string }
  | { readonly by: "timeout"; readonly afterMs: number }
  | { readonly by: "cancelled" }
  | { readonly by: "not-started"; readonly why: string; readonly code?: string };

/**
 * A process that outlived the end of its tree: `survived` every signal or was `left-behind` by one that ended by itself, belongs to someone else (`not-permitted`),
 * or is known only because somebody unknown still `holds-output`.
 */
export type SurvivingProcess =
  | { readonly why: "survived" | "not-permitted" | "left-behind"; readonly pid: number; readonly name: string }
  | { readonly why: "holds-output" };
