import { isObject, textField } from "../../protocol/internal.ts";
import { readTokens, type Tokens } from "../../sessions/internal.ts";
import { usdToMicro } from "../prices/price-rows.ts";

/** One usage record as its line has it, before it is compared with any other. */
export interface UsageRecord extends CountedUsage {
  /** 0, 0 when the line has no id. */
  readonly key: IdHash;
  /** 0, 0 when the line names no request. */
  readonly request: IdHash;
  /** Numbers of names; 0 is none. */
  readonly model: number;
  readonly agent: number;
  readonly stopped: boolean;
  readonly rank: Rank;
  readonly apiError: boolean;
  /** Milliseconds; NaN when the line has no valid time. */
  readonly at: number;
  /** Micro-dollars that an older version of Claude Code wrote with the answer; NaN when there are none. */
  readonly written: number;
}

/** What a usage object says. */
export interface CountedUsage extends Tokens {
  /** Tokens of the prompt, which choose the price step: of the largest `message` iteration where there are several. */
  readonly prompt: number;
  /** Cache writes whose lifetime was not written: counted as five minutes. */
  readonly assumed5m: number;
  /** How many counts are missing or not valid. */
  readonly odd: number;
  readonly fast: boolean;
  readonly batch: boolean;
  /** Computed in the US only, by request. */
  readonly us: boolean;
  readonly parts: readonly RecordPart[];
}

/** Which line decides when several have the call: a plain line before one of a sidechain before a copy in a progress line. */
export type Rank = 0 | 1 | 2;
export const ranks = { main: 0, sidechain: 1, copy: 2 } as const;

/** An iteration that the call's own counts leave out. */
export interface RecordPart extends Tokens {
  readonly model: string;
  readonly fast: boolean;
}

/** A 64-bit hash of an id, as two words. Ids are only compared. */
export interface IdHash {
  readonly a: number;
  readonly b: number;
}

/** 0, 0: no text. The hash of a text is never 0, 0. The kernel computes the same hash (`hashOf` in kernel/answer.ts). */
export function hashText(text: string | undefined): IdHash {
  if (!text) return { a: 0, b: 0 };
  const bytes = Buffer.from(text);
  let a = 0x811c9dc5 ^ bytes.length;
  let b = 0x9747b28c | 0;
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = (Math.imul(b, 0x5bd1e995) + byte) | 0;
  }
  a ^= a >>> 15;
  a = Math.imul(a, 0x2c1b3c6d);
  a ^= a >>> 12;
  b ^= b >>> 16;
  b = Math.imul(b ^ a, 0x297a2d39);
  b ^= b >>> 15;
  return { a: a >>> 0, b: (b | 1) >>> 0 };
}

/** Texts by number, so that columns can hold them. Number 0 is the empty text, which means none. */
export interface NameTable {
  readonly texts: readonly string[];
  numberOf(text: string): number;
}

export function openNameTable(known: readonly string[] = [""]): NameTable {
  const texts = [...known];
  const numbers = new Map(texts.map((text, index) => [text, index]));
  return {
    texts,
    numberOf(text) {
      const number = numbers.get(text);
      if (number !== undefined) return number;
      texts.push(text);
      numbers.set(text, texts.length - 1);
      return texts.length - 1;
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The usage record of a parsed line, if it has one: an answer with a usage object, its copy in a progress line of an
 * older version of Claude Code, or an API error that Claude Code noted as an answer. Nothing else counts.
 */
export function readUsageRecord(object: Json, names: NameTable): UsageRecord | undefined {
  if (object["type"] === "assistant") return readAnswer(object, object, names);
  if (object["type"] !== "progress") return undefined;
  const data = objectAt(object, "data");
  const copy = objectAt(data, "message");
  if (data === undefined || copy === undefined || (copy["type"] ?? "assistant") !== "assistant") return undefined;
  const record = readAnswer(copy, object, names);
  if (record === undefined) return undefined;
  const agent = textField(data, "agentId") ?? textField(object, "agentId");
  return { ...record, rank: ranks.copy, agent: agent === undefined ? record.agent : names.numberOf(agent) };
}

/** `line` has the fields of the line; a copied answer may have more exact ones. */
function readAnswer(answer: Json, line: Json, names: NameTable): UsageRecord | undefined {
  const message = objectAt(answer, "message");
  if (message === undefined) return undefined;
  const model = textField(message, "model") ?? "";
  const usage = objectAt(message, "usage");
  const apiError = model === "<synthetic>";
  if (apiError ? answer["isApiErrorMessage"] !== true : usage === undefined) return undefined;
  const request = textField(answer, "requestId");
  const at = timestampMs(answer["timestamp"]);
  const written = answer["costUSD"];
  return {
    key: hashText(textField(message, "id") || request || textField(answer, "uuid") || textField(line, "uuid")),
    request: hashText(request),
    model: names.numberOf(model),
    agent: names.numberOf(textField(answer, "agentId") ?? ""),
    rank: answer["isSidechain"] === true ? ranks.sidechain : ranks.main,
    at: Number.isNaN(at) ? timestampMs(line["timestamp"]) : at,
    apiError,
    stopped: !apiError && typeof message["stop_reason"] === "string",
    written: !apiError && typeof written === "number" ? usdToMicro(written) : Number.NaN,
    ...readUsageObject(apiError ? {} : (usage ?? {}), model),
  };
}

/** What a usage object says, as the endpoint wrote it. */
export function readUsageObject(usage: Json, model: string): CountedUsage {
  const { tokens, assumed5m, odd } = readTokens(usage);
  const fast = usage["speed"] === "fast";
  const iterations: readonly unknown[] = Array.isArray(usage["iterations"]) ? usage["iterations"] : [];
  const typed = iterations.filter(isObject).filter(({ type }) => typeof type === "string");
  const others = typed.filter(({ type }) => type !== "message");
  // The counts of the call are those of a single message. Each of several is a request of its own.
  const messages = typed.length - others.length > 1 ? typed.filter(({ type }) => type === "message") : [];
  const requests = messages.map(readTokens);
  const oddMessages = messages.flatMap(missing).length + requests.flatMap((request) => request.odd).length;
  const oddIterations = iterations.length - typed.length + oddMessages;
  const prompts = requests.map((request) => promptTokens(request.tokens));
  return {
    ...tokens,
    assumed5m,
    odd: odd.length + [usage, ...others].flatMap(missing).length + oddIterations,
    fast,
    batch: usage["service_tier"] === "batch",
    us: usage["inference_geo"] === "us",
    // The longest prompt decides the price step. An unknown one may be the whole.
    prompt: prompts.length > 0 && oddIterations === 0 ? Math.max(...prompts) : promptTokens(tokens),
    parts: others.map((iteration) => recordPart(iteration, model, fast)),
  };
}

/** The two counts that every answer and every iteration has. */
function missing(usage: Json): string[] {
  return ["input_tokens", "output_tokens"].filter((name) => usage[name] === undefined || usage[name] === null);
}

export function promptTokens({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Omit<Tokens, "thinking">): number {
  return input + cacheRead + cacheWrite5m + cacheWrite1h;
}

function recordPart(iteration: Json, callModel: string, isCallFast: boolean): RecordPart {
  const { speed } = iteration;
  const model = textField(iteration, "model") ?? callModel;
  // The speed of the call is that of its own model; a part of another model is fast only if its own field says "fast".
  const fast = speed === undefined ? isCallFast && model === callModel : speed === "fast";
  return { model, fast, ...readTokens(iteration).tokens };
}

export function timestampMs(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}

function objectAt(from: Json | undefined, key: string): Json | undefined {
  const value = from?.[key];
  return isObject(value) ? value : undefined;
}
