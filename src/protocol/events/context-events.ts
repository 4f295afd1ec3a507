import { type EventTable, refusable } from "./event-row.ts";

/** A switch of the model; each of its events has its own words for `source`. */
const modelSwitchFields = {
  from_model: { is: "text" },
  to_model: { is: "text" },
  requested_model: { is: "text", nullable: true },
  source: { is: "text" },
  context_tokens: { is: "number" },
  prompt_cache_warm: { is: "flag" },
  cache_ttl: { is: "text", of: ["5m", "1h"] },
  estimated_cache_write_usd: { is: "number" },
  pricing: { is: "text", of: ["configured", "catalog", "default"] },
} as const;

/** The conversation is compacted, or another model takes it over. */
export const contextEvents = {
  PreCompact: {
    ...refusable,
    fires: "before a conversation is compacted",
    fields: {
      trigger: { is: "text", of: ["manual", "auto"] },
      custom_instructions: { is: "text", nullable: true },
    },
    matchesOn: { field: "trigger" },
    onText: "instructions",
    onBlock: "refuse",
    blocks: "the conversation is not compacted",
    onFailure: "guard",
    app: { method: "onPreCompact", answers: ["block", "context"] },
  },
  PostCompact: {
    fires: "after a conversation was compacted",
    fields: {
      trigger: { is: "text", of: ["manual", "auto"] },
      compact_summary: { is: "text" },
    },
    matchesOn: { field: "trigger" },
    onText: "message",
    app: { method: "onPostCompact", answers: [] },
  },
  PreModelSwitch: {
    since: "declared",
    fires: "before a switch that a user or client requested; not before automatic ones",
    fields: {
      ...modelSwitchFields,
      source: { is: "text", of: ["command", "picker", "sdk"], open: true },
    },
    matchesOn: { field: "to_model" },
    onBlock: "refuse",
    answers: ["permissionDecision"],
    decisions: ["allow", "ask", "deny"],
    blockWord: true,
    timeoutMs: 30_000,
    blocks: "the model stays",
    onFailure: "guard",
    special: { timeoutDenies: true },
    app: { method: "onPreModelSwitch", answers: ["allow", "ask", "deny"] },
  },
  PostModelSwitch: {
    since: "declared",
    fires: "after every lasting switch, including fallback and resume",
    fields: {
      ...modelSwitchFields,
      source: { is: "text", of: ["command", "picker", "sdk", "auto", "resume"], open: true },
    },
    matchesOn: { field: "to_model" },
    onText: "context",
    answers: ["additionalContext"],
    timeoutMs: 30_000,
    app: { method: "onPostModelSwitch", answers: ["context"] },
  },
} as const satisfies EventTable;
