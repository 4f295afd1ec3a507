import type { ModelReply } from "../ports.ts";

/** JSON Schema of the reply that prompt hooks ask for. */
export const promptReplySchema: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: {
    ok: { type: "boolean", description: "Whether the condition is met." },
    reason: { type: "string", description: "Why, above all when it is not met." },
    impossible: { type: "boolean", description: "True when the condition can never be met." },
  },
  required: ["ok"],
  additionalProperties: false,
};

/** Agent hooks have no way to call a condition impossible. */
export const agentReplySchema: Readonly<Record<string, unknown>> = {
  ...promptReplySchema,
  properties: {
    ok: { type: "boolean", description: "Whether the condition is met." },
    reason: { type: "string", description: "Why, above all when it is not met." },
  },
};

/**
 * The reply, or why it is none. Contract: only exactly the asked shape counts, as an object or as a text that is one JSON object and
 * nothing else; a model's answer is data, and prose around an `ok: true` may be somebody else's prose.
 */
export function readReply(value: unknown, keys: readonly string[]): ModelReply | { readonly wrong: string } {
  const reply = typeof value === "string" ? parsed(value) : value;
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) {
    return { wrong: typeof value === "string" ? "replied with text that is no JSON object" : "gave no object" };
  }
  const unknown = Object.keys(reply).find((key) => !keys.includes(key));
  if (unknown !== undefined) return { wrong: `replied with "${unknown.slice(0, 40)}", which was not asked for` };
  const { ok, reason, impossible } = reply as Record<string, unknown>;
  if (typeof ok !== "boolean") return { wrong: "replied without ok: true or ok: false" };
  if (reason !== undefined && typeof reason !== "string") return { wrong: "replied with a reason that is no text" };
  if (impossible !== undefined && typeof impossible !== "boolean") {
    return { wrong: "replied with impossible being neither true nor false" };
  }
  return {
    ok,
    ...(reason === undefined ? {} : { reason }),
    ...(impossible === undefined ? {} : { impossible }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // prose: the caller says so
  }
}

/** A reply as it stands in the record. */
export function replyText(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return ""; // a circle or a BigInt: no reply could hold it, and its shape is reported already
  }
}
