import { isDeepStrictEqual } from "node:util";
import { isObject, type Outcome, type Verdict } from "../protocol/internal.ts";
import { badCall, checkReturnedBy } from "./check-call.ts";
import { frozenJsonCopy } from "./judge/judge.ts";
import type { Judgement } from "./judge/judgement.ts";

/** The part of an `Outcome` that holds the hooks' decision about a call. */
export type HookDecision = Pick<Outcome, "decision" | "reason"> & Partial<Pick<Outcome, "blocked" | "updatedInput">>;

/** The combined decision of hooks and rules. */
export interface Combined {
  readonly decision: "allow" | "ask" | "deny" | "defer";
  readonly reason: string;
  /** All reasons. The one that decided comes first. */
  readonly reasons: readonly string[];
  readonly by: "hook" | "rules";
  readonly wouldAsk: boolean;
}

/**
 * Combines an event's outcome, or one verdict, with the judgment of the rules. A hook may restrict a call, and may allow one that no
 * rule restricts. It never overrides a deny or ask rule. A judgment of another input than the one that the hooks rewrote never allows:
 * then the decision is at least `ask`.
 *
 * @example
 * const outcome = await engine.fire("PreToolUse", { tool_name, tool_input });
 * const input = outcome.updatedInput ?? tool_input;
 * const { decision, reason } = combine(outcome, judge({ tool: tool_name, input }, policy, context()));
 */
export function combine(hooks: Verdict | HookDecision, judgement: Judgement): Combined {
  if (!isObject(hooks)) throw badCall("combine", "its first argument must be an outcome or a verdict");
  // `stance` is required: the decision alone does not show whether a rule or only the mode decided.
  checkReturnedBy(judgement, "stance", "combine", "its second argument", "judge");
  const verdict = "kind" in hooks ? hooks : verdictOf(hooks);
  const combined = combineVerdict(verdict, judgement);
  const { updatedInput, input } = hooks as Readonly<Record<string, unknown>>;
  const rewritten = [updatedInput, input].filter((one) => one !== undefined);
  const isOpen = combined.decision === "allow" || combined.decision === "ask";
  // The judged input is a copy, so only a copy can be equal to it.
  if (!isOpen || rewritten.every((one) => isDeepStrictEqual(frozenJsonCopy(one), judgement.input))) return combined;
  const reason = "a hook rewrote the input, and another input was judged; judge the rewritten one";
  const reasons = [reason, ...combined.reasons];
  return settleAsk({ decision: "ask", reason, reasons, by: "rules", wouldAsk: false }, judgement);
}

function combineVerdict(verdict: Verdict, judgement: Judgement): Combined {
  const hookReasons = "reason" in verdict && verdict.reason ? [verdict.reason] : [];
  const byRules: Combined = {
    decision: judgement.decision,
    reason: judgement.reason,
    reasons: [judgement.reason, ...hookReasons],
    by: "rules",
    wouldAsk: judgement.wouldAsk,
  };
  const byHook = (decision: Combined["decision"]): Combined => {
    const reason = hookReasons[0] ?? (decision === "allow" ? "a hook allowed it" : `a hook decided ${decision}`);
    return { decision, reason, reasons: [reason, judgement.reason], by: "hook", wouldAsk: false };
  };
  if (verdict.kind === "none") return byRules;
  if (verdict.kind === "deny") return byHook("deny");
  if (judgement.stance === "deny") return byRules;
  if (verdict.kind === "defer") return byHook("defer");
  if (verdict.kind === "ask") {
    return settleAsk(judgement.stance === "ask" ? { ...byRules, decision: "ask" } : byHook("ask"), judgement);
  }
  // JavaScript callers may pass an unknown decision. It never allows.
  if (verdict.kind !== "allow") return settleAsk({ ...byRules, decision: "ask" }, judgement);
  if (judgement.stance === "ask") return byRules;
  if (judgement.stance === "doubt") return settleAsk({ ...byRules, decision: "ask" }, judgement);
  return byHook("allow");
}

/** The verdict of a decision. Without a reason it is just as strict. */
function verdictOf({ decision, reason, blocked }: HookDecision): Verdict {
  if (decision === "deny" || blocked === true) return { kind: "deny", reason: reason ?? "a hook denied it" };
  if (decision === "ask") return { kind: "ask", reason: reason ?? "a hook asks about it" };
  return reason === undefined ? { kind: decision } : { kind: decision, reason };
}

/** An `ask` becomes `deny` when the mode never asks or there is no user to ask. */
function settleAsk(combined: Combined, judgement: Judgement): Combined {
  if (judgement.mode === "dontAsk") return { ...combined, decision: "deny" };
  if (judgement.attended) return combined;
  const reason = combined.reason.startsWith("no user to ask") ? combined.reason : `no user to ask: ${combined.reason}`;
  return { ...combined, decision: "deny", reason, reasons: [reason, ...combined.reasons.slice(1)], wouldAsk: true };
}
