import { didYouMean, isObject, type ModelUsage, Problem } from "../../protocol/internal.ts";
import type { Purpose } from "../model.ts";

/** The answers of a scripted model, as plain JSON. `schema/script.json` is its schema; `parseScript` reads it. */
export interface ModelScript {
  /** For editors. */
  readonly $schema?: string;
  /** The name the model goes by when nothing else is asked for; `scripted` by default. An answer names the model that was asked. */
  readonly model?: string;
  /** Tokens the model can hold. */
  readonly contextWindow?: number;
  /** `counted` gives the same ids in every run. */
  readonly ids?: "counted" | "random";
  /** A request gets the first answer in this list that is not used up and whose condition holds. */
  readonly answers: readonly ScriptedAnswer[];
}

/** One answer of a script. */
export interface ScriptedAnswer {
  /** Says what the answer is for, in messages about it. */
  readonly name?: string;
  /** Which requests it answers. Default: all. */
  readonly when?: AnswerCondition;
  /** How many requests it answers: 1, a number, or `any`, also none. */
  readonly times?: number | "any";
  /** What must hold of the request; else the answer is an error and the run has failed. */
  readonly expect?: readonly Expectation[];
  /** Comes first. */
  readonly thinking?: string;
  /** Comes after the thinking. */
  readonly text?: string;
  /** Tool calls, at the end. */
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool_use` with calls, else `end_turn`. */
  readonly stopReason?: string;
  /** Classes left out are estimated from the length of request and answer. */
  readonly usage?: Partial<ModelUsage>;
  /** Waited before the first piece. */
  readonly delayMs?: number;
  /** Into how many characters a piece is cut, and what is waited between two; by default each block is one piece. */
  readonly chunk?: { readonly size: number; readonly delayMs?: number };
  /** Ends the answer, after its text, thinking and calls. */
  readonly error?: ScriptedError;
}

/** Which requests an answer is for. */
export interface AnswerCondition {
  /** Without it only requests of the main thread are answered, so that a title or a hook never eats a turn. */
  readonly purpose?: Purpose | "any";
  /** The type of the subagent that asks. */
  readonly agent?: string;
  /** Text that the last message must contain. */
  readonly lastMessage?: string;
}

/** What a request must contain, and what it must not. */
export interface Expectation {
  /** Where to search. Default: in the whole request. */
  readonly in?: RequestPart;
  /** Texts that must occur. */
  readonly contains?: readonly string[];
  /** Texts that must not. */
  readonly lacks?: readonly string[];
}

/** A part of a request. */
export type RequestPart = "request" | "system" | "messages" | "last-message" | "tools";

/** A tool call of a scripted answer. */
export interface ScriptedCall {
  /** The name of the tool. */
  readonly tool: string;
  /** Its input. Default: `{}`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Default: made from `ids`. */
  readonly id?: string;
  /** In place of `input`: what the model writes, JSON or not. */
  readonly rawInput?: string;
}

/** An error that ends a scripted answer. */
export interface ScriptedError {
  /** Without a status the stream breaks off. */
  readonly status?: number;
  /** The API's type of error. */
  readonly type?: string;
  /** The text of the error. */
  readonly message?: string;
  /** The wait that it asks for. */
  readonly retryAfterMs?: number;
}

/**
 * A script out of JSON, or a `Problem` that names the place. Written by hand: a model port must not load a validator. Unknown keys are
 * refused, because a misspelled expectation would be one that always holds. `test/script-schema.test.ts` holds it to `schema/script.json`.
 */
export function parseScript(value: unknown, where: string): ModelScript {
  const wrong = script(value, "");
  if (wrong === undefined) return value as ModelScript;
  throw new Problem("models/bad-script", `${where} is not a valid script: ${wrong}`, { about: { where } });
}

/** What is wrong at this place, or nothing. */
type Check = (value: unknown, at: string) => string | undefined;

const text = must("be a text", (value) => typeof value === "string");
const filled = must("be a text that is not empty", (value) => typeof value === "string" && value !== "");
const record = must("be an object", isObject);
const whole = must("be a whole number, 0 or more", (value) => isIntegerFrom(0, value));
const positive = must("be a whole number above 0", (value) => isIntegerFrom(1, value));
const times = must('be above 0, or "any"', (value) => value === "any" || isIntegerFrom(1, value));
const status = must("be an HTTP status from 400 to 599", (value) => isIntegerFrom(400, value) && Number(value) <= 599);

const usage = object({ input: whole, output: whole, cacheWrite5m: whole, cacheWrite1h: whole, cacheRead: whole });

const condition = object({
  purpose: oneOf("main", "subagent", "compaction", "prompt-hook", "agent-hook", "classifier", "title", "any"),
  agent: filled,
  lastMessage: filled,
});

const expectation = object({
  in: oneOf("request", "system", "messages", "last-message", "tools"),
  contains: listOf(filled),
  lacks: listOf(filled),
});

const call = object({ tool: filled, input: record, id: filled, rawInput: text }, ["tool"]);
const error = object({ status, type: filled, message: text, retryAfterMs: whole });

const answer = object({
  name: filled,
  when: condition,
  times,
  expect: listOf(expectation),
  thinking: filled,
  text: filled,
  calls: listOf(call),
  stopReason: filled,
  usage,
  delayMs: whole,
  chunk: object({ size: positive, delayMs: whole }, ["size"]),
  error,
});

const script = object(
  { $schema: text, model: filled, contextWindow: positive, ids: oneOf("counted", "random"), answers: listOf(answer) },
  ["answers"],
);

/** A check of one value. `words` follow the place and "must". */
function must(words: string, fits: (value: unknown) => boolean): Check {
  return (value, at) => (fits(value) ? undefined : `${at} must ${words}`);
}

function isIntegerFrom(least: number, value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

function object(fields: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check {
  const names = Object.keys(fields);
  return (value, at) => {
    const place = at === "" ? "it" : at;
    if (!isObject(value)) return `${place} must be an object`;
    const missing = needed.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) return `${place} lacks "${missing}"`;
    for (const [key, held] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined) return `${place} has "${key}", which no script has.${didYouMean(key, names)}`;
      const wrong = check(held, at === "" ? key : `${at}.${key}`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

function listOf(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return `${at} must be a list`;
    for (const [index, item] of value.entries()) {
      const wrong = check(item, `${at}[${index}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

function oneOf(...words: readonly string[]): Check {
  return must(`be one of ${words.join(", ")}`, (value) => typeof value === "string" && words.includes(value));
}
