import type { FailureMode, LogFileOptions, WireAnswer } from "../../sdk/internal.ts";

/** Between the server and the thread that runs handlers. */
export interface CallMessage {
  readonly id: number;
  /** Where the thread claims the call before it begins, so that a call it never got to can be given to another thread. */
  readonly slot: number;
  readonly asked: Asked;
  /** It had begun on another thread. */
  readonly again: boolean;
}

/** What somebody wants answered. */
export interface Asked {
  readonly text: string;
  readonly transport: "http" | "client";
  readonly onFailure: FailureMode | undefined;
  /** `NAME=value`, each ended by NUL; undefined: the daemon's own. */
  readonly env: string | undefined;
  /** Or the process whose environment it is, looked up for handlers that ask; 0: none. */
  readonly envOf: number;
  readonly cwd: string | undefined;
}

export type ToThread =
  | CallMessage
  | { readonly abort: number; readonly why: string }
  /** No more calls come; what the app holds shall end. */
  | { readonly close: true };

/** An answer as a process would give it. */
export interface ThreadAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether `stdout` is a JSON object. */
  readonly json: boolean;
  /** Set when the payload could not be read: more of it may be on its way. */
  readonly unreadable?: true;
}

/** What the server must know of an app when the thread cannot say it any more. */
export interface AppFacts {
  readonly onFailure: FailureMode;
  /** Where its log goes; false: it wants none. */
  readonly log: LogFileOptions | false;
  readonly events: Readonly<Record<string, { readonly onFailure: FailureMode; readonly deadlineMs: number }>>;
}

export type FromThread =
  | { readonly kind: "ready"; readonly facts: AppFacts }
  | { readonly kind: "no-load"; readonly message: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer: ThreadAnswer }
  /** A withdrawn call was found in the queue and left alone: its slot is free again. */
  | { readonly kind: "passed-over"; readonly slot: number }
  /** Nothing is left to do here, and nothing is held; or why something still is. */
  | { readonly kind: "closed"; readonly problem?: string };

/** Given to a thread when it is started. */
export interface ThreadData {
  readonly file: string;
  readonly cwd: string;
  readonly sourceHash: string;
  readonly claims: SharedArrayBuffer;
}

/** What a slot says. */
export const claim: { readonly open: 0; readonly taken: 1; readonly withdrawn: 2 } = {
  open: 0,
  taken: 1,
  withdrawn: 2,
};

export function answerOf({ exitCode, stdout, stderr, wire }: WireAnswer): ThreadAnswer {
  return { exitCode, stdout, stderr, json: wire !== undefined };
}

/**
 * Whether somebody still waits for the answer to a call.
 *
 * An `AbortSignal` would say it too, but making and listening to one is among the dearest things a server can do for a call, and next to no
 * call ever needs it. The thread makes one for handlers that ask.
 */
export class Interest {
  #lost: string | undefined;
  #tell: ((why: string) => void) | undefined;

  lose(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    this.#tell?.(why);
  }

  /** Contract: told at most once, and at once when it is lost already. Only the last who asked is told. */
  whenLost(tell: (why: string) => void): void {
    this.#tell = tell;
    if (this.#lost !== undefined) tell(this.#lost);
  }
}
