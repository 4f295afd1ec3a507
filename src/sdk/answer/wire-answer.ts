import { isObject } from "../../protocol/internal.ts";
import { readEvent, type WirePayload } from "../app/hook-event.ts";
import type { FailureMode } from "../app/registration.ts";
import { refusal } from "../run/handler-chain.ts";
import { type EventRule, eventRule } from "./event-rules.ts";
import { type FoldedAnswer, foldAnswers } from "./fold-answers.ts";

/** An answer as a process gives it. `wire` is the JSON object, if the answer is one. */
export interface WireAnswer {
  readonly wire?: Readonly<Record<string, unknown>>;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/**
 * The folded answer in the event's own spelling.
 *
 * Contract: exit 2 never comes with stdout; there is no `hookSpecificOutput` on an event that has none, no foreign
 * `hookEventName` and no reason without a decision; what a form cannot carry goes to stderr.
 */
export function toWire(event: string, said: FoldedAnswer): WireAnswer {
  const rule = eventRule(event);
  if (rule.form === "exit" || rule.form === "path") return toPlainText(event, rule, said);
  const left = rule.form === "elicit" && said.refusal ? [said.refusal.reason] : [];
  return withRaw(event, rule, { ...topLevel(rule, said), ...specific(event, rule, said) }, said.raw, left);
}

function toPlainText(event: string, rule: EventRule, said: FoldedAnswer): WireAnswer {
  const aside = [...said.messages, ...(said.raw ? [JSON.stringify(said.raw)] : [])];
  const refused = said.refusal?.reason ?? said.halt;
  if (refused !== undefined) {
    const stderr = lines([refused, ...said.contexts, ...aside]);
    return { stdout: "", stderr, exitCode: rule.form === "path" ? 1 : 2 };
  }
  const text = rule.form === "path" ? said.worktree : said.contexts.join("\n\n");
  // Where a path is wanted, whatever stands on stdout is taken for one.
  if (text || rule.form === "path") return { stdout: text ? `${text}\n` : "", stderr: lines(aside), exitCode: 0 };
  const message = said.messages.length > 0 ? { systemMessage: said.messages.join("\n") } : {};
  return withRaw(event, rule, message, said.raw, []);
}

function topLevel(rule: EventRule, said: FoldedAnswer): Record<string, unknown> {
  const { refusal, halt, messages } = said;
  return {
    ...(halt === undefined ? {} : { continue: false, stopReason: halt }),
    ...(refusal && rule.refusal === "block" && rule.form === "specific"
      ? { decision: "block", reason: refusal.reason }
      : {}),
    ...(messages.length > 0 ? { systemMessage: messages.join("\n") } : {}),
  };
}

function specific(event: string, rule: EventRule, said: FoldedAnswer): Record<string, unknown> {
  const fields: Record<string, unknown> = {
    ...(rule.form === "permission" ? permission(said) : {}),
    ...(rule.refusal === "denyPermission" ? decision(said) : {}),
    ...(rule.form === "elicit" ? elicitation(said) : {}),
    ...(said.refusal?.hidePrompt && rule.hidesPrompt ? { suppressOriginalPrompt: true } : {}),
    ...(said.input && rule.form === "permission" ? { updatedInput: said.input } : {}),
    ...(said.contexts.length > 0 ? { additionalContext: said.contexts.join("\n\n") } : {}),
    ...(said.output ? { updatedToolOutput: said.output.value } : {}),
    ...(said.retry ? { retry: true } : {}),
    ...(said.title === undefined ? {} : { sessionTitle: said.title }),
    ...(said.watch ? { watchPaths: said.watch } : {}),
    ...(said.firstMessage === undefined ? {} : { initialUserMessage: said.firstMessage }),
    ...(said.display === undefined ? {} : { displayContent: said.display }),
  };
  return Object.keys(fields).length > 0 ? { hookSpecificOutput: { hookEventName: event, ...fields } } : {};
}

function permission({ decision, refusal, halt }: FoldedAnswer): Record<string, unknown> {
  // With `continue: false` alone the host would still run the tool.
  const denied = refusal?.reason ?? halt;
  if (denied !== undefined) return { permissionDecision: "deny", permissionDecisionReason: denied };
  if (!decision) return {};
  const reason = decision.reason === undefined ? {} : { permissionDecisionReason: decision.reason };
  return { permissionDecision: decision.kind, ...reason };
}

function decision({ refusal, approval }: FoldedAnswer): Record<string, unknown> {
  if (refusal) {
    const interrupt = refusal.interrupt ? { interrupt: true } : {};
    return { decision: { behavior: "deny", message: refusal.reason, ...interrupt } };
  }
  if (!approval) return {};
  const input = approval.input ? { updatedInput: approval.input } : {};
  const rules = approval.rules ? { updatedPermissions: approval.rules } : {};
  return { decision: { behavior: "allow", ...input, ...rules } };
}

function elicitation({ refusal, elicit }: FoldedAnswer): Record<string, unknown> {
  if (refusal) return { action: "decline" };
  return elicit ? { ...elicit } : {};
}

/** Raw fields give way to what the answers say, and the event's name is ours to fill in. */
function withRaw(
  event: string,
  rule: EventRule,
  wire: Readonly<Record<string, unknown>>,
  raw: FoldedAnswer["raw"],
  aside: readonly string[],
): WireAnswer {
  if (!raw) return fromWire(wire, aside);
  const { hookSpecificOutput: given, ...fields } = raw;
  const isKnown = rule.method !== "on";
  const [top, left] = dropLoneReason({ ...fields, ...wire }, "reason", "decision", isKnown, aside);
  if (given === undefined) return fromWire(top, left);
  // A known event without answers of its own has no such object at all: with one the host drops the whole answer.
  const hasNone = (rule.form === "plain" || rule.form === "exit") && isKnown;
  if (hasNone || !isObject(given)) {
    return fromWire(top, [...left, JSON.stringify({ hookSpecificOutput: given })]);
  }
  const own = wire["hookSpecificOutput"] as Readonly<Record<string, unknown>> | undefined;
  const both = { ...given, ...own, hookEventName: event };
  const [hso, rest] = dropLoneReason(both, "permissionDecisionReason", "permissionDecision", isKnown, left);
  return fromWire({ ...top, hookSpecificOutput: hso }, rest);
}

/** Moves a reason without a decision to stderr: hosts reject it. The fields of an unknown event stay as they are. */
function dropLoneReason(
  fields: Readonly<Record<string, unknown>>,
  reason: string,
  decision: string,
  isKnown: boolean,
  aside: readonly string[],
): readonly [Readonly<Record<string, unknown>>, readonly string[]] {
  const { [reason]: given, ...others } = fields;
  if (!isKnown || given === undefined || fields[decision] !== undefined) return [fields, aside];
  return [others, [...aside, JSON.stringify({ [reason]: given })]];
}

function fromWire(wire: Readonly<Record<string, unknown>>, aside: readonly string[]): WireAnswer {
  const stderr = lines(aside);
  if (Object.keys(wire).length === 0) return { stdout: "", stderr, exitCode: 0 };
  return { wire, stdout: `${JSON.stringify(wire)}\n`, stderr, exitCode: 0 };
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/**
 * A failure of the whole app, as a process tells it: `block` is exit 2 with an empty stdout, `continue` a message and exit 1.
 * An agent that goes on because of such a refusal already is let stop, with a message.
 */
export function appFailure(message: string, mode: FailureMode, payload?: WirePayload): WireAnswer {
  const stderr = `hookline: ${message}\n`;
  const again = mode === "block" && payload !== undefined && isAgain(payload);
  if (mode === "block" && !again) return { stdout: "", stderr, exitCode: 2 };
  const wire = { systemMessage: `hookline: ${message}` };
  return { wire, stdout: `${JSON.stringify(wire)}\n`, stderr, exitCode: again ? 0 : 1 };
}

function isAgain(payload: WirePayload): boolean {
  const { refusesOncePerTurn } = eventRule(String(payload["hook_event_name"]));
  return refusesOncePerTurn === true && payload["stop_hook_active"] === true;
}

/** The result of an event without any answer of its handlers: the strictest answer it has under `block`, and a message. */
export function answerWithoutHandlers(payload: WirePayload, mode: FailureMode, message: string): WireAnswer {
  const event = readEvent(payload);
  const refused = mode === "block" ? refusal(eventRule(event.name), event, message) : [];
  const spelled = toWire(event.name, foldAnswers([...refused, { kind: "systemMessage", text: message }]));
  // What a form leaves for stderr is the same message again.
  return { ...spelled, stderr: `hookline: ${message}\n` };
}
