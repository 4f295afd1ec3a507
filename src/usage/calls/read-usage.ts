import { isObject } from "../../protocol/internal.ts";
import { readTokens, type TokenPart } from "../../sessions/internal.ts";
import { usdToMicro } from "../prices/price-rows.ts";
import {
  clearRecord,
  hashText,
  type IdHash,
  type NameTable,
  noParts,
  type RecordPart,
  rank,
  type UsageRecord,
} from "./usage-record.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a parsed line into the record, if it holds one: an answer with a usage object, its copy in a progress line of an
 * older client, or an API error that the client noted as an answer. Nothing else counts.
 */
export function readUsageRecord(object: Json, names: NameTable, record: UsageRecord): boolean {
  clearRecord(record);
  if (object["type"] === "assistant") return readAnswer(object, object, names, record);
  if (object["type"] !== "progress") return false;
  const data = objectAt(object, "data");
  const copy = objectAt(data, "message");
  if (data === undefined || copy === undefined || (copy["type"] ?? "assistant") !== "assistant") return false;
  if (!readAnswer(copy, object, names, record)) return false;
  record.rank = rank.copy;
  const agent = textAt(data, "agentId") ?? textAt(object, "agentId");
  if (agent !== undefined) record.agent = names.numberOf(agent);
  return true;
}

/** `line` holds the fields of the line; a copied answer may have more exact ones. */
function readAnswer(answer: Json, line: Json, names: NameTable, record: UsageRecord): boolean {
  const message = objectAt(answer, "message");
  if (message === undefined) return false;
  const model = textAt(message, "model") ?? "";
  const usage = objectAt(message, "usage");
  record.apiError = model === "<synthetic>";
  if (record.apiError && answer["isApiErrorMessage"] !== true) return false;
  if (usage === undefined && !record.apiError) return false;
  hashOrNone(textAt(answer, "requestId"), record.request);
  const key = textAt(message, "id") || textAt(answer, "requestId") || textAt(answer, "uuid") || textAt(line, "uuid");
  // Without any id the key stays 0, 0: then the line's place tells it from all others.
  hashOrNone(key, record.key);
  record.model = names.numberOf(model);
  record.agent = names.numberOf(textAt(answer, "agentId") ?? "");
  record.rank = answer["isSidechain"] === true ? rank.sidechain : rank.main;
  record.at = timestampMs(answer["timestamp"]);
  if (Number.isNaN(record.at)) record.at = timestampMs(line["timestamp"]);
  if (record.apiError) return true;
  record.stopped = typeof message["stop_reason"] === "string";
  const written = answer["costUSD"];
  if (typeof written === "number") record.written = usdToMicro(written);
  readUsageObject(usage ?? {}, model, record);
  return true;
}

/** What a usage object says, as the endpoint wrote it, into the record. */
export function readUsageObject(usage: Json, model: string, record: UsageRecord): void {
  const { tokens, parts, assumed5m, odd } = readTokens(usage);
  record.input = plus(tokens.input);
  record.output = plus(tokens.output);
  record.thinking = plus(tokens.thinking);
  record.cacheWrite5m = plus(tokens.cacheWrite5m);
  record.cacheWrite1h = plus(tokens.cacheWrite1h);
  record.cacheRead = plus(tokens.cacheRead);
  record.webSearches = plus(tokens.webSearches);
  record.assumed5m = assumed5m;
  record.odd = odd.length + missing(usage);
  record.fast = usage["speed"] === "fast";
  record.batch = usage["service_tier"] === "batch";
  record.us = usage["inference_geo"] === "us";
  record.prompt = largestPrompt(usage["iterations"]) ?? promptOf(tokens);
  record.parts =
    parts.length === 0 ? noParts : parts.map((part, index) => recordPart(part, index, usage, model, record));
}

/** The two counts that every answer has. */
function missing(usage: Json): number {
  return ["input_tokens", "output_tokens"].filter((name) => usage[name] === undefined || usage[name] === null).length;
}

/** Of several `message` iterations, each a request of its own, the longest prompt decides the price step. */
function largestPrompt(iterations: unknown): number | undefined {
  if (!Array.isArray(iterations)) return undefined;
  const prompts = iterations.flatMap((one: unknown) =>
    isObject(one) && one["type"] === "message" ? promptOf(readTokens(one).tokens) : [],
  );
  return prompts.length > 1 ? Math.max(...prompts) : undefined;
}

function promptOf(tokens: { input: number; cacheRead: number; cacheWrite5m: number; cacheWrite1h: number }): number {
  return tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h;
}

function recordPart(part: TokenPart, index: number, usage: Json, model: string, record: UsageRecord): RecordPart {
  const own = part.model ?? model;
  const speed = speedOf(usage["iterations"], index);
  // The fast lane belongs to the model that was asked for; another model's part is fast only if its own field says "fast".
  const fast = speed === undefined ? record.fast && own === model : speed === "fast";
  return { model: own, fast, ...part.tokens };
}

function speedOf(iterations: unknown, part: number): unknown {
  if (!Array.isArray(iterations)) return undefined;
  const extra: unknown[] = iterations.filter(
    (one: unknown) => isObject(one) && typeof one["type"] === "string" && one["type"] !== "message",
  );
  const one = extra[part];
  return isObject(one) ? one["speed"] : undefined;
}

export function timestampMs(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}

/** JSON knows a negative zero; sums had better not. */
function plus(count: number): number {
  return count === 0 ? 0 : count;
}

function hashOrNone(text: string | undefined, into: IdHash): void {
  if (text) hashText(text, into);
}

function objectAt(from: Json | undefined, key: string): Json | undefined {
  const value = from?.[key];
  return isObject(value) ? value : undefined;
}

/** A field that is a text; undefined when it is anything else. */
export function textAt(from: Json, key: string): string | undefined {
  const value = from[key];
  return typeof value === "string" ? value : undefined;
}
