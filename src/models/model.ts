import { defined, isObject, type ModelUsage, messageOf, showValue } from "../protocol/internal.ts";
import type { AnswerBlock, Message } from "./message.ts";

/**
 * A port to models: it sends one request and streams one answer.
 *
 * Contract of `stream`: it never throws and never rejects, whatever the network, the API or the script does. It yields any number of
 * deltas and then exactly one `end` or one `error`, after which it is done. Nothing is sent before the first event is asked for, and
 * leaving the loop early ends the request. After an abort the last event is an `error` whose `errorType` is `aborted`.
 */
export interface Model {
  /** The model to request by default; for an API, its own name of the model. */
  readonly name: string;
  /** Tokens the model can hold, when known. */
  readonly contextWindow?: number;
  /** The small, fast model of the same API, for hooks and titles; without one `name` is used. */
  readonly smallModel?: string;
  /** The effort a model of this port is asked for by default; undefined when the model has no effort levels, absent when the API has none. */
  defaultEffort?(model: string): string | undefined;
  /** Streams one answer; ends with `end` or `error`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /**
   * Called once, after the run: what did not happen as scripted, a sentence each. A run with complaints has failed. Scripts use it
   * for unmet expectations, requests without an answer and unused answers; APIs have none.
   */
  complaints?(): readonly string[];
}

/** Why the model is asked. Scripts choose answers by it, and records and costs are separated by it. */
export type Purpose = "main" | "subagent" | "compaction" | "prompt-hook" | "agent-hook" | "classifier" | "title";

/** One request to a model. */
export interface ModelRequest {
  /** What the answer is for. */
  readonly purpose: Purpose;
  /** The API's name of the model that answers: mostly `Model.name`, or one that a hook or an option names. */
  readonly model: string;
  /** The system prompt in parts; the stable ones first, so that they can be cached. */
  readonly system: readonly string[];
  /** Begins with a user message. Neighbors of one role are allowed; a port joins them where its API wants turns to alternate. */
  readonly messages: readonly Message[];
  /** Tools that the model may call. */
  readonly tools: readonly ToolDefinition[];
  /** Limit of the answer. */
  readonly maxTokens: number;
  /** By default the model decides. With `name` it must call that tool, with `any` some tool, with `none` it must not call any. */
  readonly toolChoice?: ToolChoice;
  /**
   * Tokens the model may think; absent or 0 means without thinking. A model that decides itself how much to think is only asked to.
   * Ignored where the API does not support it.
   */
  readonly thinkingTokens?: number;
  /** How much the model works on the answer: `low` to `max`. Only for models that have effort levels. */
  readonly effort?: string;
  /** The type of the subagent that asks, `Explore` for instance; absent on the main thread. */
  readonly subagent?: string;
}

/** Whether and which tool the model must call. */
export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "any" }
  | { readonly type: "none" }
  | { readonly type: "tool"; readonly name: string };

/** A tool as the model gets it. */
export interface ToolDefinition {
  /** The name of the tool. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/**
 * An event of a streamed answer. `index` counts the blocks of the answer from 0; blocks do not overlap. The deltas are for display:
 * a caller that only needs the answer reads `end` and ignores everything before it.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly index: number; readonly text: string }
  | { readonly type: "thinking"; readonly index: number; readonly text: string }
  | { readonly type: "tool-call"; readonly index: number; readonly id: string; readonly name: string }
  /** A piece of a tool call's input as JSON text; only the pieces together are JSON. */
  | { readonly type: "tool-input"; readonly index: number; readonly json: string }
  /** The block is complete. */
  | { readonly type: "block"; readonly index: number; readonly block: AnswerBlock }
  /** The request is sent once more, after `waitMs`: forget every delta so far, the answer begins again at index 0. */
  | ModelRetry
  | ModelEnd
  | ModelError;

/** The request is sent again. */
export interface ModelRetry {
  /** Before a new try. */
  readonly type: "retry";
  /** The try that failed, from 1. */
  readonly attempt: number;
  /** How many tries there are in all. */
  readonly tries: number;
  /** Until the next try. */
  readonly waitMs: number;
  /** Why it failed. */
  readonly error: ModelError;
}

/** A complete answer. */
export interface ModelEnd {
  /** The last event. */
  readonly type: "end";
  /** The API's id of the answer, `msg_…`. */
  readonly id: string;
  /** The id of the request in the API's log, when it names one. */
  readonly requestId?: string;
  /** The model that answered, as the API names it. */
  readonly model: string;
  /** The whole answer, thinking with its signatures. Ready to be sent back as an assistant message. */
  readonly content: readonly AnswerBlock[];
  /** Tokens of the call. */
  readonly usage: ModelUsage;
  /** Why the answer ended. */
  readonly stopReason: StopReason;
  /** Ids of tool calls whose input is not a JSON object, with the text that the model wrote. Refuse them, do not run them. */
  readonly broken?: Readonly<Record<string, string>>;
}

/** Why an answer ended. */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "refusal"
  | "pause_turn"
  | (string & Record<never, never>);

export const noUsage: ModelUsage = { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };

/** No answer, and why. `failureOf` turns it into the class that StopFailure reports. */
export interface ModelError {
  /** The last event. */
  readonly type: "error";
  /** HTTP status; absent when no response came or the stream broke. */
  readonly status?: number;
  /** The API's own type, such as `rate_limit_error`; or one of ours: `aborted`, `connection`, `stream`, `expectation`, `no-answer`, `missing-key`, `answer-too-large`. */
  readonly errorType: string;
  /** For users; contains no key and no header. */
  readonly message: string;
  /** The wait that the API asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The id in the API's log. */
  readonly requestId?: string;
}

/** The whole answer at once, for callers that do not show deltas. */
export async function answerOf(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelEnd | ModelError> {
  for await (const event of eventsOf(model, request, signal)) {
    if (event.type === "end" || event.type === "error") return event;
  }
  return incompleteAnswer;
}

/** The stream of a model, which may be the host's own. One that throws, sends something else than events, or ends without an answer, ends with an error event here. */
export async function* eventsOf(model: Model, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  try {
    for await (const event of model.stream(request, signal)) yield isUsable(event) ? event : unusable(event);
  } catch (error) {
    if (signal.aborted) throw error;
    yield { type: "error", errorType: "stream", message: `The model threw: ${messageOf(error)}` };
  }
  yield incompleteAnswer;
}

function isUsable(event: unknown): boolean {
  if (!isObject(event) || event["type"] !== "end") return isObject(event);
  const { model, content, usage } = event;
  return typeof model === "string" && Array.isArray(content) && content.every(isBlock) && isObject(usage);
}

function isBlock(block: unknown): boolean {
  return isObject(block) && (block["type"] !== "text" || typeof block["text"] === "string");
}

function unusable(event: unknown): ModelError {
  return { ...incompleteAnswer, message: `The model sent something that is not an event: ${showValue(event)}` };
}

export const incompleteAnswer: ModelError = {
  type: "error",
  errorType: "stream",
  message: "The answer ended before it was complete.",
};

/** The last event of an answer. `broken` is as in the event, and may be empty. */
export function answerEnd(
  end: Omit<ModelEnd, "type" | "broken" | "requestId">,
  broken: Readonly<Record<string, string>>,
  requestId?: string,
): ModelEnd {
  return {
    type: "end",
    ...end,
    ...defined({ requestId, broken: Object.keys(broken).length > 0 ? broken : undefined }),
  };
}

/** Turns the pieces of an API's stream into events. */
export interface AnswerReader<Piece> {
  read(piece: Piece): readonly ModelEvent[];
  /** The last events, once all pieces have come. */
  end(requestId: string | undefined): readonly ModelEvent[];
  /** The characters that a piece holds in addition to its events. */
  startSize?(piece: Piece): number;
}
