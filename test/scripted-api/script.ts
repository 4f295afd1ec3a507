/**
 * What a scripted model says: one turn per request, in the order of the requests of a purpose.
 * Everything but the function form is plain JSON, so that a test case can carry it as data.
 */

import type { RequestPurpose } from "./request-purpose.ts";

export type Script = Partial<Record<RequestPurpose, Turns>>;

/** A list of turns, used one after another; or a function that looks at the request. */
export type Turns = readonly Turn[] | ((request: MessagesRequest, index: number) => Turn);

/** A text, a tool call, several blocks of one message, these with all their details, or an error in the API's shape. */
export type Turn = Part | readonly Part[] | Whole | Failure;

export type Part = string | ToolCall | Thinking;

export interface Whole {
  readonly blocks: readonly Part[];
  /** Fields of the API's `usage` that are not the usual ones. */
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly stopReason?: string;
  /** After the first text the stream breaks off, or says that it failed. */
  readonly breaks?: "connection" | "overloaded_error";
  /** Characters to a delta; by default a block is one. */
  readonly chunk?: number;
  /** Waited before the answer begins. */
  readonly delayMs?: number;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: object;
  readonly id?: string;
}

export interface Thinking {
  readonly thinking: string;
}

export interface Failure {
  readonly status: number;
  /** The API's word for it, `rate_limit_error` for instance; by default the one that goes with the status. */
  readonly error?: string;
  readonly message?: string;
  /** Seconds, in a `Retry-After` header. */
  readonly retryAfter?: number;
}

/** The parts of a request that scripts and tests look at. */
export interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string | readonly { readonly text?: string }[];
  readonly messages: readonly ApiMessage[];
  readonly tools?: readonly { readonly name: string }[];
  readonly tool_choice?: { readonly type: string; readonly name?: string };
  readonly output_config?: { readonly format?: unknown };
}

export interface ApiMessage {
  readonly role: string;
  readonly content: string | readonly ApiBlock[];
}

export interface ApiBlock {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly ApiBlock[];
}

/** Contract: always answers. A script that has run out says "Done.", which ends any agent's turn. */
export function turnOf(script: Script, purpose: RequestPurpose, request: MessagesRequest, index: number): Turn {
  const turns = script[purpose];
  if (typeof turns === "function") return turns(request, index);
  return turns?.[index] ?? defaults[purpose];
}

const defaults: Record<RequestPurpose, Turn> = {
  main: "Done.",
  subagent: "Done.",
  compaction: "<summary>Nothing of note.</summary>",
  "prompt-hook": '{"ok":true}',
  "agent-hook": { tool: "StructuredOutput", input: { ok: true } },
  side: '{"title":"A session"}',
};
