import { failureOf, type ModelError } from "../models/index.ts";
import { notifyHooks } from "./fire.ts";
import type { TurnEnd } from "./loop.ts";
import type { Thread } from "./thread.ts";

/** A turn that the API ended. */
export interface ApiFailure {
  /** The class that StopFailure reports. */
  readonly error: string;
  /** For the person, and in the place of an answer. */
  readonly text: string;
  readonly status?: number;
  /** The API's own word for it. */
  readonly type?: string;
  readonly details?: string;
  /** The conversation no longer fits: a shorter one may. */
  readonly tooLong?: boolean;
}

export function apiFailure(error: ModelError): ApiFailure {
  const { status, message, errorType } = error;
  const details =
    status === undefined
      ? undefined
      : `${status} ${JSON.stringify({ type: "error", error: { type: errorType, message } })}`;
  const recognised = failureOf(error);
  return {
    error: recognised,
    text: `API Error: ${status === undefined ? "" : `${status} `}${message}`,
    ...(status === undefined ? {} : { status, type: errorType }),
    tooLong: recognised === "invalid_request",
    ...(recognised === "invalid_request" && details !== undefined ? { details } : {}),
  };
}

/** Ends the turn without an answer: a line that says so, and StopFailure instead of Stop. Nobody waits for its hooks. */
export async function failTurn(thread: Thread, failure: ApiFailure): Promise<TurnEnd> {
  const { session, journal, agent } = thread;
  const { error, text, status, type, details } = failure;
  const content = [{ type: "text" as const, text }];
  const answer = {
    type: "end" as const,
    id: session.options.uuid(),
    model: "<synthetic>",
    content,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite1h: 0, cacheWrite5m: 0 },
    stopReason: "stop_sequence",
  };
  const [uuid = ""] = await journal.answer(answer, {
    error,
    isApiErrorMessage: true,
    ...(status === undefined ? {} : { apiErrorStatus: status }),
    ...(details === undefined ? {} : { errorDetails: details }),
  });
  const parentToolUseId = agent?.toolUseId ?? null;
  const api = { ...(status === undefined ? {} : { status }), ...(type === undefined ? {} : { type }) };
  const line = { answer, block: { type: "text" as const, text }, uuid, failure: { error, ...api } };
  session.report({ kind: "assistant", ...line, parentToolUseId });
  if (agent === undefined) {
    const about = { error, ...(details === undefined ? {} : { error_details: details }), last_assistant_message: text };
    notifyHooks(thread, "StopFailure", about);
  }
  return { by: "api_error", text, error, ...api };
}
