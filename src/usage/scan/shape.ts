import type { lineKind } from "./wasm/layout.ts";

/**
 * What lines of one kind have in common: the bytes that are the same in all of them, and slots between those for what
 * differs. A shape is learned from one line that was really parsed. A line that fits is then compared and not parsed: every
 * byte of it is checked, so it is JSON, has the same keys in the same order, and means the same.
 */
export type LineKind = keyof typeof lineKind;

/**
 * What a slot holds: `end` of the shape; `any` value; a stop reason; texts that are decoded (`cwd` to `agentType`), texts
 * that are compared (`uuid` to `speed`), and counts, last.
 */
export const slot = {
  end: 0,
  any: 1,
  stop: 2,
  cwd: 3,
  session: 4,
  agentType: 5,
  uuid: 6,
  time: 7,
  id: 8,
  request: 9,
  model: 10,
  agent: 11,
  ancestor: 12,
  tier: 13,
  geo: 14,
  speed: 15,
  number: 16,
  input: 17,
  output: 18,
  cacheRead: 19,
  written: 20,
  write5m: 21,
  write1h: 22,
  searches: 23,
  thinking: 24,
} as const;

/** Where in a line the slots lie. A progress line holds a whole line of an agent under `data.message`. */
export const slotAt: ReadonlyMap<string, number> = new Map([
  ["cwd", slot.cwd],
  ["sessionId", slot.session],
  ["attributionAgent", slot.agentType],
  ["agentId", slot.agent],
  ["session_id", slot.ancestor],
  ["forkedFrom", slot.ancestor],
  ["forkedFrom.sessionId", slot.ancestor],
  ["requestId", slot.request],
  ["uuid", slot.uuid],
  ["timestamp", slot.time],
  ["message.id", slot.id],
  ["message.model", slot.model],
  ["message.stop_reason", slot.stop],
  ["message.usage.service_tier", slot.tier],
  ["message.usage.inference_geo", slot.geo],
  ["message.usage.speed", slot.speed],
  ["message.usage.input_tokens", slot.input],
  ["message.usage.output_tokens", slot.output],
  ["message.usage.cache_read_input_tokens", slot.cacheRead],
  ["message.usage.cache_creation_input_tokens", slot.written],
  ["message.usage.cache_creation.ephemeral_5m_input_tokens", slot.write5m],
  ["message.usage.cache_creation.ephemeral_1h_input_tokens", slot.write1h],
  ["message.usage.server_tool_use.web_search_requests", slot.searches],
  ["message.usage.output_tokens_details.thinking_tokens", slot.thinking],
]);

/** Those of them that tell of the file: of a progress line its own count, not those of the copy in it. */
export const ofFile: ReadonlySet<string> = new Set([
  "cwd",
  "sessionId",
  "attributionAgent",
  "session_id",
  "forkedFrom",
  "forkedFrom.sessionId",
]);

/** Values that are part of the shape: another value is another shape. */
export const constantAt: ReadonlySet<string> = new Set([
  "type",
  "isSidechain",
  "message.type",
  "message.role",
  "message.usage.iterations.type",
]);

/** Objects that are looked into; all others are passed over whole. */
export const openedAt: ReadonlySet<string> = new Set([
  "message",
  "forkedFrom",
  "message.usage",
  "message.usage.cache_creation",
  "message.usage.server_tool_use",
  "message.usage.output_tokens_details",
  "message.usage.iterations",
  "message.usage.iterations.cache_creation",
]);
