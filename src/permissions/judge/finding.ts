import type { PolicyRule } from "../policy.ts";
import type { DecidedBy, RuleRef, Stance } from "./judgement.ts";
import { type Answer, answerOf, type Deed, type Mode } from "./mode.ts";

/** What was found about one part, or about the call as a whole. */
export interface Finding {
  readonly decision: Answer;
  readonly by: DecidedBy;
  readonly stance: Stance;
  readonly rule: PolicyRule | null;
  readonly why: string;
}

export function denied(rule: PolicyRule, why: string): Finding {
  return { decision: "deny", by: "rule", stance: "deny", rule, why };
}

/** A matched ask rule, a protected path, a critical removal: the mode may turn the question into a refusal, nothing else. */
export function asked(
  mode: Mode,
  by: DecidedBy,
  why: string,
  rule: PolicyRule | null = null,
  deed: Deed = "asked",
): Finding {
  const decision = answerOf(mode, deed);
  return { decision, by, stance: decision === "allow" ? "none" : "ask", rule, why };
}

export function allowed(rule: PolicyRule): Finding {
  return { decision: "allow", by: "rule", stance: "allow", rule, why: `${rule.text} covers it` };
}

export function harmless(why: string): Finding {
  return { decision: "allow", by: "read-only", stance: "allow", rule: null, why };
}

/** No rule decided: the mode answers. */
export function byMode(mode: Mode, deed: Deed, why: string): Finding {
  return { decision: answerOf(mode, deed), by: "mode", stance: "none", rule: null, why };
}

/** What cannot be used at all: no rule, mode or hook makes it right. */
export function unusable(why: string): Finding {
  return { decision: "deny", by: "analysis", stance: "deny", rule: null, why };
}

const strength: Readonly<Record<Answer, number>> = { allow: 0, ask: 1, deny: 2 };
const firmness: Readonly<Record<Stance, number>> = { allow: 0, none: 1, doubt: 2, ask: 3, deny: 4 };

/** Allow needs all, ask and deny one: the strictest finding, of equal ones the firmest, then the first. */
export function strictest(findings: readonly (Finding | undefined)[]): Finding | undefined {
  let worst: Finding | undefined;
  for (const finding of findings) {
    if (finding === undefined) continue;
    if (worst === undefined || compare(finding, worst) > 0) worst = finding;
  }
  return worst;
}

function compare(a: Finding, b: Finding): number {
  return strength[a.decision] - strength[b.decision] || firmness[a.stance] - firmness[b.stance];
}

export function firmest(findings: readonly Finding[]): Stance {
  return findings.reduce<Stance>((worst, { stance }) => (firmness[stance] > firmness[worst] ? stance : worst), "allow");
}

export function refOf(rule: PolicyRule | null): RuleRef | null {
  if (rule === null) return null;
  const { text, list, scope, file } = rule;
  return file === undefined ? { text, list, scope } : { text, list, scope, file };
}
