import { foreignName, isObject } from "../../protocol/index.ts";
import { isKnownEvent, ruleOf } from "../answer/event-rules.ts";
import type { Folded } from "../answer/fold-answers.ts";
import type { HookEvent, WirePayload } from "../app/hook-event.ts";
import type { Registration } from "../app/registration.ts";

/**
 * Why an app must not answer this event. Undefined when it may. A payload of another agent would find no handler, or the wrong one,
 * and look as if nothing objected. An event that the catalog does not have is fine when a handler names it: then nothing is guessed.
 * A tool that is merely new is never refused.
 */
export function whyForeign(event: HookEvent, registrations: readonly Registration[]): string | undefined {
  const foreign = foreignName(event.name, event["toolName"]);
  if (foreign !== undefined) {
    const { kind, name, agent } = foreign;
    return `The ${kind} "${name}" belongs to ${agent}. Hooks answer payloads of Claude Code only, so no handler ran.`;
  }
  if (isKnownEvent(event.name) || registrations.some((one) => one.event === event.name)) return undefined;
  return `The event "${event.name}" is unknown and no handler is registered for it. Check which agent calls these hooks, or register app.on("${event.name}", …).`;
}

/**
 * Codex runs the command when a hook answers `ask`, `defer` or `continue: false`. It obeys a denial with a reason, so that is what such
 * an answer becomes. Raw fields are dropped with it: one that Codex does not know voids the whole answer.
 */
export function deniedForCodex(folded: Folded, payload: WirePayload): Folded {
  const { form } = ruleOf(String(payload["hook_event_name"]));
  if (form !== "permission" || folded.refusal !== undefined || !isCodex(payload)) return folded;
  const asked = whyAsked(folded);
  const reason = folded.halt ?? (asked && `${asked} (Denied, because Codex cannot ask the user on behalf of a hook.)`);
  if (reason === undefined) return folded;
  const { decision: _decision, halt: _halt, input: _input, raw: _raw, ...kept } = folded;
  return { ...kept, refusal: { reason } };
}

function whyAsked({ decision, raw }: Folded): string | undefined {
  if (decision !== undefined && decision.kind !== "allow")
    return decision.reason ?? "The hook wants the user to decide.";
  const specific = raw?.["hookSpecificOutput"];
  if (!isObject(specific)) return undefined;
  const { permissionDecision: word, permissionDecisionReason: reason } = specific;
  return word === "ask" || word === "defer" ? String(reason ?? "The hook wants the user to decide.") : undefined;
}

/** A turn id, and a rollout file as the transcript or none. Claude Code sends a turn id with MessageDisplay only. */
function isCodex({ turn_id: turn, transcript_path: path }: WirePayload): boolean {
  if (typeof turn !== "string") return false;
  return typeof path !== "string" || /[\\/](?:rollout-[^\\/]*|\.codex[\\/].*)$/.test(path);
}
