import {
  answerWithoutHandlers,
  appFailure,
  type FailureMode,
  type LogFileOptions,
  readPayload,
  type WireAnswer,
} from "../../sdk/internal.ts";

/** Between the server and the thread that runs handlers. */
export interface CallMessage {
  readonly id: number;
  /** Where the thread claims the call before it begins, so that a call it never got to can be given to another thread. */
  readonly slot: number;
  readonly asked: HookRequest;
  /** It had begun on another thread. */
  readonly again: boolean;
}

/** A call to be answered. */
export interface HookRequest {
  readonly text: string;
  readonly transport: "http" | "client";
  readonly onFailure: FailureMode | undefined;
  /** `NAME=value`, each ended by NUL; undefined: the daemon's own. */
  readonly env: string | undefined;
  /** Or the process whose environment it is, looked up for handlers that ask; 0: none. */
  readonly envOf: number;
  readonly cwd: string | undefined;
}

export type ToWorker =
  | CallMessage
  | { readonly abort: number; readonly why: string }
  /** No more calls come; the app disposes what it holds. */
  | { readonly close: true };

/** An answer as a process would give it. */
export interface WorkerAnswer extends Omit<WireAnswer, "wire"> {
  /** Whether `stdout` is a JSON object. */
  readonly json: boolean;
  /** Set when the payload could not be read: more of it may be on its way. */
  readonly unreadable?: true;
}

/** What the server must know of an app when its thread no longer answers. */
export interface AppFacts {
  readonly onFailure: FailureMode;
  /** Where its log goes; false: it wants none. */
  readonly log: LogFileOptions | false;
  readonly events: Readonly<Record<string, { readonly onFailure: FailureMode; readonly deadlineMs: number }>>;
  readonly handlers: readonly { readonly event: string; readonly name: string }[];
}

export type FromWorker =
  | { readonly kind: "ready"; readonly facts: AppFacts }
  | { readonly kind: "no-load"; readonly message: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer: WorkerAnswer }
  /** A withdrawn call was found in the queue and left alone: its slot is free again. */
  | { readonly kind: "passed-over"; readonly slot: number }
  /** Nothing is left to do and nothing is held; `problem` says why something still is. */
  | { readonly kind: "closed"; readonly problem?: string };

/** Given to a thread when it is started. */
export interface WorkerInput {
  readonly file: string;
  readonly cwd: string;
  readonly sourceHash: string;
  readonly claims: SharedArrayBuffer;
}

/** The states of a slot. */
export const slotState = { open: 0, taken: 1, withdrawn: 2 } as const;

export function workerAnswer({ exitCode, stdout, stderr, wire }: WireAnswer): WorkerAnswer {
  return { exitCode, stdout, stderr, json: wire !== undefined };
}

/** Follows output that was too long. */
export const cutNote = "\nhookline: The rest of the output was cut.\n";

/**
 * The answer to an event that no handler answered. A client gets what a process would give: exit 2 under `block`. An http answer has no
 * exit status, so it says the same in the event's own fields.
 */
export function failedAnswer(
  { text, transport }: Pick<HookRequest, "text" | "transport">,
  mode: FailureMode,
  why: string,
): WorkerAnswer {
  const payload = readPayload(text);
  if ("fault" in payload) return workerAnswer(appFailure(why, mode));
  if (transport === "client") return workerAnswer(appFailure(why, mode, payload.value));
  return workerAnswer(answerWithoutHandlers(payload.value, mode, why));
}

/** Name and session of an event; the name is empty when the payload cannot be read. */
export function eventFacts(text: string): { readonly event: string; readonly session: unknown } {
  const payload = readPayload(text);
  if ("fault" in payload) return { event: "", session: undefined };
  return { event: String(payload.value["hook_event_name"]), session: payload.value["session_id"] };
}
