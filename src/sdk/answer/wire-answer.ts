import { isObject } from "../../protocol/internal.ts";
import { readEvent, type WirePayload } from "../app/hook-event.ts";
import type { FailureMode } from "../app/registration.ts";
import { refusal } from "../run/handler-chain.ts";
import { type Rule, ruleOf } from "./event-rules.ts";
import { type Folded, fold } from "./fold-answers.ts";

/** An answer as a process gives it. `wire` is the JSON object, if the answer is one. */
export interface Spelled {
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
export function spell(event: string, said: Folded): Spelled {
  const rule = ruleOf(event);
  if (rule.form === "exit" || rule.form === "path") return spellPlainly(event, rule, said);
  const left = rule.form === "elicit" && said.refusal ? [said.refusal.reason] : [];
  return withRaw(event, rule, { ...topLevel(rule, said), ...specific(event, rule, said) }, said.raw, left);
}

function spellPlainly(event: string, rule: Rule, said: Folded): Spelled {
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

function topLevel(rule: Rule, said: Folded): Record<string, unknown> {
  const { refusal, halt, messages } = said;
  return {
    ...(halt === undefined ? {} : { continue: false, stopReason: halt }),
    ...(refusal && rule.refusal === "block" && rule.form === "specific"
      ? { decision: "block", reason: refusal.reason }
      : {}),
    ...(messages.length > 0 ? { systemMessage: messages.join("\n") } : {}),
  };
}

function specific(event: string, rule: Rule, said: Folded): Record<string, unknown> {
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

function permission({ decision, refusal, halt }: Folded): Record<string, unknown> {
  // With `continue: false` alone the host would still run the tool.
  const denied = refusal?.reason ?? halt;
  if (denied !== undefined) return { permissionDecision: "deny", permissionDecisionReason: denied };
  if (!decision) return {};
  const reason = decision.reason === undefined ? {} : { permissionDecisionReason: decision.reason };
  return { permissionDecision: decision.kind, ...reason };
}

function decision({ refusal, approval }: Folded): Record<string, unknown> {
  if (refusal) {
    const interrupt = refusal.interrupt ? { interrupt: true } : {};
    return { decision: { behavior: "deny", message: refusal.reason, ...interrupt } };
  }
  if (!approval) return {};
  const input = approval.input ? { updatedInput: approval.input } : {};
  const rules = approval.rules ? { updatedPermissions: approval.rules } : {};
  return { decision: { behavior: "allow", ...input, ...rules } };
}

function elicitation({ refusal, elicit }: Folded): Record<string, unknown> {
  if (refusal) return { action: "decline" };
  return elicit ? { ...elicit } : {};
}

/** Raw fields give way to what the answers say, and the event's name is ours to fill in. */
function withRaw(
  event: string,
  rule: Rule,
  wire: Readonly<Record<string, unknown>>,
  raw: Folded["raw"],
  aside: readonly string[],
): Spelled {
  if (!raw) return fromWire(wire, aside);
  const { hookSpecificOutput: given, ...fields } = raw;
  const isKnown = rule.method !== "on";
  const [top, left] = paired({ ...fields, ...wire }, "reason", "decision", isKnown, aside);
  if (given === undefined) return fromWire(top, left);
  // A known event without answers of its own has no such object at all: with one the host drops the whole answer.
  const hasNone = (rule.form === "plain" || rule.form === "exit") && isKnown;
  if (hasNone || !isObject(given)) {
    return fromWire(top, [...left, JSON.stringify({ hookSpecificOutput: given })]);
  }
  const own = wire["hookSpecificOutput"] as Readonly<Record<string, unknown>> | undefined;
  const both = { ...given, ...own, hookEventName: event };
  const [hso, rest] = paired(both, "permissionDecisionReason", "permissionDecision", isKnown, left);
  return fromWire({ ...top, hookSpecificOutput: hso }, rest);
}

/** The fields without a reason that no decision stands beside, and that reason with what is told aside. Of an unknown event nobody knows. */
function paired(
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

function fromWire(wire: Readonly<Record<string, unknown>>, aside: readonly string[]): Spelled {
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
export function appFailure(message: string, mode: FailureMode, payload?: WirePayload): Spelled {
  const stderr = `hookline: ${message}\n`;
  const again = mode === "block" && payload !== undefined && isAgain(payload);
  if (mode === "block" && !again) return { stdout: "", stderr, exitCode: 2 };
  const wire = { systemMessage: `hookline: ${message}` };
  return { wire, stdout: `${JSON.stringify(wire)}\n`, stderr, exitCode: again ? 0 : 1 };
}

function isAgain(payload: WirePayload): boolean {
  const { refusesOncePerTurn } = ruleOf(String(payload["hook_event_name"]));
  return refusesOncePerTurn === true && payload["stop_hook_active"] === true;
}

/** What an event settles to when its handlers gave no answer at all: the strictest answer it has under `block`, and a message. */
export function withoutAnswer(payload: WirePayload, mode: FailureMode, message: string): Spelled {
  const event = readEvent(payload);
  const refused = mode === "block" ? refusal(ruleOf(event.name), event, message) : [];
  const spelled = spell(event.name, fold([...refused, { kind: "systemMessage", text: message }]));
  // What a form leaves for stderr is the same message again.
  return { ...spelled, stderr: `hookline: ${message}\n` };
}
