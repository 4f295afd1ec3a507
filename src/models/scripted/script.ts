import type { ModelUsage, Purpose } from "../model.ts";

/** What a scripted model says, as plain JSON. `schema/script.json` is its schema; `readScript` reads it. */
export interface Script {
  readonly $schema?: string;
  /** The name the model goes by when nothing else is asked for; `scripted` by default. An answer names the model that was asked. */
  readonly model?: string;
  readonly contextWindow?: number;
  /** `counted` gives the same ids in every run. */
  readonly ids?: "counted" | "random";
  /** A request gets the first answer in this list that is not used up and whose condition holds. */
  readonly answers: readonly ScriptedAnswer[];
}

export interface ScriptedAnswer {
  /** Says what the answer is for, in messages about it. */
  readonly name?: string;
  readonly when?: Condition;
  /** How many requests it answers: 1, a number, or `any`, also none. */
  readonly times?: number | "any";
  /** What must hold of the request; else the answer is an error and the run has failed. */
  readonly expect?: readonly Expectation[];
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** By default what the blocks say: `tool_use` with calls, else `end_turn`. */
  readonly stopReason?: string;
  /** Classes left out are estimated from the length of request and answer. */
  readonly usage?: Partial<ModelUsage>;
  /** Waited before the first piece. */
  readonly delayMs?: number;
  /** Into how many characters a piece is cut, and what is waited between two; by default each block is one piece. */
  readonly chunk?: { readonly size: number; readonly delayMs?: number };
  /** Ends the answer, after whatever text, thinking and calls stand beside it. */
  readonly error?: ScriptedError;
}

export interface Condition {
  /** Without it only requests of the main thread are answered, so that a title or a hook never eats a turn. */
  readonly purpose?: Purpose | "any";
  readonly agent?: string;
  /** Text that stands in the last message. */
  readonly lastMessage?: string;
}

export interface Expectation {
  /** Where to look; by default in everything. */
  readonly in?: RequestPart;
  readonly contains?: readonly string[];
  readonly lacks?: readonly string[];
}

export type RequestPart = "request" | "system" | "messages" | "last-message" | "tools";

export interface ScriptedCall {
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly id?: string;
  /** In place of `input`: what the model writes, JSON or not. */
  readonly rawInput?: string;
}

export interface ScriptedError {
  /** Without a status the stream breaks off. */
  readonly status?: number;
  readonly type?: string;
  readonly message?: string;
  readonly retryAfterMs?: number;
}
