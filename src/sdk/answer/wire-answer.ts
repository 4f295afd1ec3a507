import { defined, isObject } from "../../protocol/internal.ts";
import { readEvent, type WirePayload } from "../app/hook-event.ts";
import { type EventRule, eventRule, type FailureMode } from "./event-rules.ts";
import { type FoldedAnswer, foldAnswers, refusal } from "./fold-answers.ts";

/** An answer as a hook process gives it. `wire` is the JSON object on stdout, if there is one. */
export interface WireAnswer {
  readonly wire?: Readonly<Record<string, unknown>>;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/**
 * Puts a combined answer into the wire format of the event.
 *
 * Contract: exit 2 has an empty stdout. There is no `hookSpecificOutput` on an event that has none, no `hookEventName` of another event
 * and no reason without a decision. Texts that the format has no field for go to stderr.
 */
export function toWire(event: string, folded: FoldedAnswer): WireAnswer {
  const rule = eventRule(event);
  if (rule.form === "exit" || rule.form === "path") return toPlainText(event, rule, folded);
  const extra = rule.form === "elicit" && folded.refusal ? [folded.refusal.reason] : [];
  return withRaw(event, rule, { ...topLevel(rule, folded), ...specific(event, rule, folded) }, folded.raw, extra);
}

function toPlainText(event: string, rule: EventRule, folded: FoldedAnswer): WireAnswer {
  const extra = [...folded.messages, ...(folded.raw ? [JSON.stringify(folded.raw)] : [])];
  const reason = folded.refusal?.reason ?? folded.halt;
  if (reason !== undefined) {
    const stderr = lines([reason, ...folded.contexts, ...extra]);
    return { stdout: "", stderr, exitCode: rule.form === "path" ? 1 : 2 };
  }
  const text = rule.form === "path" ? folded.worktree : folded.contexts.join("\n\n");
  // Hosts that expect a path read any stdout as one.
  if (text || rule.form === "path") return { stdout: text ? `${text}\n` : "", stderr: lines(extra), exitCode: 0 };
  const message = folded.messages.length > 0 ? { systemMessage: folded.messages.join("\n") } : {};
  return withRaw(event, rule, message, folded.raw, []);
}

function topLevel(rule: EventRule, folded: FoldedAnswer): Record<string, unknown> {
  const { refusal, halt, messages } = folded;
  return {
    ...(halt === undefined ? {} : { continue: false, stopReason: halt }),
    ...(refusal && rule.refusal === "block" && rule.form === "specific"
      ? { decision: "block", reason: refusal.reason }
      : {}),
    ...(messages.length > 0 ? { systemMessage: messages.join("\n") } : {}),
  };
}

function specific(event: string, rule: EventRule, folded: FoldedAnswer): Record<string, unknown> {
  const fields = {
    ...(rule.form === "permission" ? permission(folded) : {}),
    ...(rule.refusal === "denyPermission" ? decision(folded) : {}),
    ...(rule.form === "elicit" ? (folded.refusal ? { action: "decline" } : folded.elicit) : {}),
    ...(folded.refusal?.hidePrompt && rule.hidesPrompt ? { suppressOriginalPrompt: true } : {}),
    ...(folded.contexts.length > 0 ? { additionalContext: folded.contexts.join("\n\n") } : {}),
    ...(folded.output ? { updatedToolOutput: folded.output.value } : {}),
    ...folded.fields,
  };
  return Object.keys(fields).length > 0 ? { hookSpecificOutput: { hookEventName: event, ...fields } } : {};
}

function permission({ decision, refusal, halt, input }: FoldedAnswer): object {
  // With `continue: false` alone the host would still run the tool.
  const denied = refusal?.reason ?? halt;
  if (denied !== undefined) return { permissionDecision: "deny", permissionDecisionReason: denied };
  const { kind, reason } = decision ?? {};
  return defined({ permissionDecision: kind, permissionDecisionReason: reason, updatedInput: input });
}

function decision({ refusal, approval }: FoldedAnswer): object {
  if (refusal) {
    const interrupt = refusal.interrupt ? { interrupt: true } : {};
    return { decision: { behavior: "deny", message: refusal.reason, ...interrupt } };
  }
  if (!approval) return {};
  const { input: updatedInput, rules: updatedPermissions } = approval;
  return { decision: defined({ behavior: "allow", updatedInput, updatedPermissions }) };
}

/** Adds raw fields. Fields of other answers take precedence, and `hookEventName` is always the event's. `extra` goes to stderr. */
function withRaw(
  event: string,
  rule: EventRule,
  wire: Readonly<Record<string, unknown>>,
  raw: FoldedAnswer["raw"],
  extra: string[],
): WireAnswer {
  if (!raw) return fromWire(wire, extra);
  const { hookSpecificOutput: rawSpecific, ...rawTop } = raw;
  const isKnown = rule.method !== "on";
  /** Moves a reason without a decision to stderr: hosts reject it. The fields of an unknown event do not change. */
  const checked = (fields: Readonly<Record<string, unknown>>, reason: string, decision: string) => {
    const { [reason]: text, ...others } = fields;
    if (!isKnown || text === undefined || fields[decision] !== undefined) return fields;
    extra.push(JSON.stringify({ [reason]: text }));
    return others;
  };
  const top = checked({ ...rawTop, ...wire }, "reason", "decision");
  if (rawSpecific === undefined) return fromWire(top, extra);
  // Hosts drop the whole answer when an event without such an object has one.
  const hasSpecific = !isKnown || (rule.form !== "plain" && rule.form !== "exit");
  if (!hasSpecific || !isObject(rawSpecific)) {
    return fromWire(top, [...extra, JSON.stringify({ hookSpecificOutput: rawSpecific })]);
  }
  const merged = { ...rawSpecific, ...(wire["hookSpecificOutput"] as object | undefined), hookEventName: event };
  const hookSpecificOutput = checked(merged, "permissionDecisionReason", "permissionDecision");
  return fromWire({ ...top, hookSpecificOutput }, extra);
}

function fromWire(wire: Readonly<Record<string, unknown>>, extra: readonly string[]): WireAnswer {
  const stderr = lines(extra);
  if (Object.keys(wire).length === 0) return { stdout: "", stderr, exitCode: 0 };
  return { wire, stdout: `${JSON.stringify(wire)}\n`, stderr, exitCode: 0 };
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/**
 * The answer of a process whose app failed: exit 2 with an empty stdout under `block`, a message and exit 1 under `continue`.
 * An agent that continues because of an earlier refusal may stop; it gets a message.
 */
export function appFailure(message: string, mode: FailureMode, payload?: WirePayload): WireAnswer {
  const stderr = `hookline: ${message}\n`;
  const refusedBefore = mode === "block" && payload !== undefined && wasRefusedBefore(payload);
  if (mode === "block" && !refusedBefore) return { stdout: "", stderr, exitCode: 2 };
  const wire = { systemMessage: `hookline: ${message}` };
  return { wire, stdout: `${JSON.stringify(wire)}\n`, stderr, exitCode: refusedBefore ? 0 : 1 };
}

function wasRefusedBefore(payload: WirePayload): boolean {
  const { refusesOncePerTurn } = eventRule(String(payload["hook_event_name"]));
  return refusesOncePerTurn === true && payload["stop_hook_active"] === true;
}

/** The answer to an event when no handler could run: a refusal under `block`, and a message. */
export function answerWithoutHandlers(payload: WirePayload, mode: FailureMode, message: string): WireAnswer {
  const event = readEvent(payload);
  const refusals = mode === "block" ? refusal(event, message) : [];
  const answer = toWire(event.name, foldAnswers([...refusals, { kind: "systemMessage", text: message }]));
  // Any stderr of the wire format would be the same message again.
  return { ...answer, stderr: `hookline: ${message}\n` };
}
