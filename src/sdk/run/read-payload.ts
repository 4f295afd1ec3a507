import { foreignName, foreignNameText, isObject, messageOf } from "../../protocol/internal.ts";
import { eventRule, isKnownEvent } from "../answer/event-rules.ts";
import type { FoldedAnswer } from "../answer/fold-answers.ts";
import type { HookEvent, WirePayload } from "../app/hook-event.ts";
import type { Registration } from "../app/registration.ts";
import { withTimeout } from "./handler-deadline.ts";

/** The payload of an event, or why it cannot be read. */
export type ReadPayload = { readonly value: WirePayload } | { readonly fault: string };

export function readPayload(given: string): ReadPayload {
  const text = given.charCodeAt(0) === 0xfeff ? given.slice(1) : given;
  if (text.trim() === "") return { fault: "standard input is empty" };
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return { fault: "it is not a JSON object" };
    if (typeof value["hook_event_name"] === "string") return { value };
    return { fault: `it has no hook_event_name${hintOf(value)}` };
  } catch (error) {
    return { fault: `it is not valid JSON (${messageOf(error)})` };
  }
}

/** Names a key that only other agents send. */
function hintOf(payload: WirePayload): string {
  const key = ["toolName", "sessionId", "hookName", "agent_action_name"].find((one) => Object.hasOwn(payload, one));
  return key === undefined ? "" : `, and its key "${key}" is not one of Claude Code's: another agent sent it`;
}

const maxBytes = 25 * 2 ** 20;

/**
 * Reads a stream until one JSON object is complete and does not wait for its end: some hosts keep it open.
 * Contract: settles when no data comes for `silenceMs`.
 */
export async function readPayloadStream(input: AsyncIterable<Uint8Array | string>, silenceMs: number) {
  const chunks: Buffer[] = [];
  const end = new JsonEnd();
  let bytes = 0;
  const stream = input[Symbol.asyncIterator]();
  for (;;) {
    const next = await withTimeout(stream.next(), silenceMs, () => "silence" as const);
    if (next === "silence") {
      leave(input);
      return { fault: `no complete payload came within ${silenceMs / 1000} s` };
    }
    if (next.done) break;
    const chunk = Buffer.from(next.value as Uint8Array);
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes || end.feed(chunk)) {
      leave(input);
      break;
    }
  }
  if (bytes > maxBytes) return { fault: `the payload is larger than ${maxBytes / 2 ** 20} MiB` };
  return { text: Buffer.concat(chunks).toString("utf8", 0, end.length) };
}

/** An open stream would keep the process alive. */
function leave(input: AsyncIterable<unknown> & { destroy?: () => unknown }): void {
  input.destroy?.();
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');

/** Finds the end of the first JSON object in chunks of bytes. Does not validate it; the parser does. */
export class JsonEnd {
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** The number of bytes up to the end of the object. Bytes after it are not part of it. */
  length = 0;

  /** True once the object is complete, or when the bytes cannot be one. */
  feed(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      this.length++;
      if (this.#escaped) this.#escaped = false;
      else if (byte === quote) this.#inText = !this.#inText;
      else if (this.#inText) this.#escaped = byte === backslash;
      else if (byte === openBrace || byte === openBracket) this.#depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --this.#depth <= 0) return true;
    }
    return false;
  }
}

/**
 * Why an app must not answer this event. Undefined when it may. A payload of another agent would match no handler, or the wrong one,
 * and look as if no hook objected. An event outside the catalog is accepted if a handler is registered for it. A new tool is always
 * accepted.
 */
export function foreignPayloadReason(event: HookEvent, registrations: readonly Registration[]): string | undefined {
  const foreign = foreignName(event.name, event["toolName"]);
  if (foreign !== undefined)
    return `${foreignNameText(foreign)} Hooks answer payloads of Claude Code only, so no handler ran.`;
  if (isKnownEvent(event.name) || registrations.some((one) => one.event === event.name)) return undefined;
  if (typeof event.raw["hook_event_name"] !== "string")
    return `The event cannot be read: it has no hook_event_name${hintOf(event.raw)}.`;
  return `The event "${event.name}" is unknown and no handler is registered for it. Check which agent calls these hooks, or register app.on("${event.name}", …).`;
}

/**
 * Why handlers that are registered for a name cannot be chosen. Undefined when they can. Without the text that names are compared with,
 * none of them would match, and it would look as if no hook objected.
 */
export function unmatchedPayloadReason(event: HookEvent): string | undefined {
  const { matches: field, tool } = eventRule(event.name);
  const value = field === undefined ? "" : event.raw[field];
  if (field === undefined || (typeof value === "string" && (value !== "" || !tool))) return undefined;
  if (value === undefined) return `The event cannot be read: ${field} is missing; ${event.name} needs it.`;
  const found = JSON.stringify(value).slice(0, 60);
  return `The event cannot be read: ${field} of ${event.name} must be ${tool ? "a non-empty string" : "a string"}, not ${found}.`;
}

/**
 * Codex runs the command when a hook answers `ask`, `defer` or `continue: false`. It respects a denial with a reason, so such answers
 * become one. Raw fields are dropped: Codex ignores an answer with an unknown field.
 */
export function denyForCodex(folded: FoldedAnswer, payload: WirePayload): FoldedAnswer {
  const { form } = eventRule(String(payload["hook_event_name"]));
  if (form !== "permission" || folded.refusal !== undefined || !isCodex(payload)) return folded;
  const asked = whyAsked(folded);
  const reason = folded.halt ?? (asked && `${asked} (Denied, because Codex cannot ask the user on behalf of a hook.)`);
  if (reason === undefined) return folded;
  const { decision: _decision, halt: _halt, input: _input, raw: _raw, ...kept } = folded;
  return { ...kept, refusal: { reason } };
}

function whyAsked({ decision, raw }: FoldedAnswer): string | undefined {
  if (decision !== undefined && decision.kind !== "allow")
    return decision.reason ?? "The hook wants the user to decide.";
  const specific = raw?.["hookSpecificOutput"];
  if (!isObject(specific)) return undefined;
  const { permissionDecision: word, permissionDecisionReason: reason } = specific;
  return word === "ask" || word === "defer" ? String(reason ?? "The hook wants the user to decide.") : undefined;
}

/** Codex sends a turn id, and a rollout file as the transcript or none. Claude Code sends a turn id with MessageDisplay only. */
function isCodex({ turn_id: turn, transcript_path: path }: WirePayload): boolean {
  if (typeof turn !== "string") return false;
  return typeof path !== "string" || /[\\/](?:rollout-[^\\/]*|\.codex[\\/].*)$/.test(path);
}
