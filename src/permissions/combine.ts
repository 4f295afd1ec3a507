import { isObject, type Outcome, type Verdict } from "../protocol/internal.ts";
import { badCall, checkMade } from "./check-call.ts";
import type { Judgement } from "./judge/judgement.ts";

/** The part of an `Outcome` that says what hooks decided about a call. */
export type HookDecision = Pick<Outcome, "decision" | "reason"> & Partial<Pick<Outcome, "blocked">>;

/** What hooks and rules say together. */
export interface Combined {
  readonly decision: "allow" | "ask" | "deny" | "defer";
  readonly reason: string;
  /** All reasons, the deciding one first. */
  readonly reasons: readonly string[];
  readonly by: "hook" | "rules";
  readonly wouldAsk: boolean;
}

/**
 * What an event's outcome, or one verdict, and the rules say together: a hook may restrict, and may allow what no rule restricts; it
 * never beats a deny or ask rule.
 *
 * @example
 * const outcome = await engine.fire("PreToolUse", { tool_name, tool_input });
 * const input = outcome.updatedInput ?? tool_input;
 * const { decision, reason } = combine(outcome, judge({ tool: tool_name, input }, policy, context()));
 */
export function combine(hooks: Verdict | HookDecision, judgement: Judgement): Combined {
  if (!isObject(hooks)) throw badCall("combine", "its first argument must be an outcome or a verdict");
  // The decision alone does not say whether a rule or only the mode decided.
  checkMade(judgement, "stance", "combine", "its second argument", "judge");
  const verdict = "kind" in hooks ? hooks : verdictOf(hooks);
  const said = "reason" in verdict && verdict.reason ? [verdict.reason] : [];
  const rules: Combined = {
    decision: judgement.decision,
    reason: judgement.reason,
    reasons: [judgement.reason, ...said],
    by: "rules",
    wouldAsk: judgement.wouldAsk,
  };
  const hook = (decision: Combined["decision"]): Combined => {
    const reason = said[0] ?? (decision === "allow" ? "a hook allowed it" : `a hook said ${decision}`);
    return { decision, reason, reasons: [reason, judgement.reason], by: "hook", wouldAsk: false };
  };
  if (verdict.kind === "none") return rules;
  if (verdict.kind === "deny") return hook("deny");
  if (judgement.stance === "deny") return rules;
  if (verdict.kind === "defer") return hook("defer");
  if (verdict.kind === "ask") {
    return asking(judgement.stance === "ask" ? { ...rules, decision: "ask" } : hook("ask"), judgement);
  }
  // A program without types may pass an unknown decision; that does not allow.
  if (verdict.kind !== "allow") return asking({ ...rules, decision: "ask" }, judgement);
  if (judgement.stance === "ask") return rules;
  if (judgement.stance === "doubt") return asking({ ...rules, decision: "ask" }, judgement);
  return hook("allow");
}

/** A decision without words never ends as less than it is. */
function verdictOf({ decision, reason, blocked }: HookDecision): Verdict {
  if (decision === "deny" || blocked === true) return { kind: "deny", reason: reason ?? "a hook denied it" };
  if (decision === "ask") return { kind: "ask", reason: reason ?? "a hook asks about it" };
  return reason === undefined ? { kind: decision } : { kind: decision, reason };
}

/** A question needs a mode that asks and somebody to answer. */
function asking(combined: Combined, judgement: Judgement): Combined {
  if (judgement.mode === "dontAsk") return { ...combined, decision: "deny" };
  if (judgement.attended) return combined;
  const reason = combined.reason.startsWith("no user to ask") ? combined.reason : `no user to ask: ${combined.reason}`;
  return { ...combined, decision: "deny", reason, reasons: [reason, ...combined.reasons.slice(1)], wouldAsk: true };
}
