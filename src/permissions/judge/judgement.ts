import type { PermissionUpdate, ToolInput } from "../../protocol/internal.ts";
import type { PolicyRule } from "../policy.ts";
import { type Mode, modes, type RuleScope, type RuleWarning } from "../rule-layer.ts";
import type { RuleList } from "../rules/rule-meaning.ts";
import type { ToolKind } from "../rules/rule-tools.ts";
import type { ShellProblem, Span } from "../shell/shell-part.ts";

/** What decided. */
export type DecidedBy = "rule" | "mode" | "read-only" | "protected" | "critical" | "analysis" | "unattended";

/** The rule that decided, with its list and its source. */
export interface RuleRef {
  readonly text: string;
  readonly list: RuleList;
  readonly scope: RuleScope;
  readonly file?: string;
}

/** One thing a call does, and what was found about it. */
export interface JudgedPart {
  readonly kind: "command" | "write" | "read" | "state" | "path" | "domain" | "name";
  readonly text: string;
  readonly at: Span;
  readonly head: string | null;
  readonly dynamic: boolean;
  readonly via: readonly string[];
  /** The folders it may run in; null when that is not known. */
  readonly cwd: string | null;
  readonly decision: PermissionDecision;
  readonly by: DecidedBy;
  readonly rule: RuleRef | null;
  readonly why: string;
}

/** A path of the call, resolved. */
export interface JudgedPath {
  readonly given: string;
  readonly resolved: string;
  readonly links: readonly string[];
  readonly inside: boolean;
  readonly protected: boolean;
  readonly special: boolean;
}

/** One tool call, judged: what `hookline check --json` prints. */
export interface Judgement {
  readonly tool: string;
  readonly decision: PermissionDecision;
  readonly reason: string;
  /** An `ask` that became `deny` because there is no user to ask. */
  readonly wouldAsk: boolean;
  readonly by: DecidedBy;
  readonly mode: Mode;
  readonly rule: RuleRef | null;
  /** False when a shell text could not be analysed. */
  readonly complete: boolean;
  readonly problems: readonly ShellProblem[];
  readonly parts: readonly JudgedPart[];
  readonly paths: readonly JudgedPath[];
  readonly suggestions: readonly PermissionUpdate[];
  readonly warnings: readonly RuleWarning[];
  /** What the rules alone say, before mode and attendance; `combine` needs it. */
  readonly stance: Stance;
  readonly attended: boolean;
  /** The input that was judged, frozen: what was judged is what runs. */
  readonly input: ToolInput;
}

/**
 * `deny` and `ask`: a rule, protected path or critical removal; a hook's allow does not beat them. `doubt`: not analysed, and a
 * deny or ask rule names the tool. `allow`: rules cover all of it. `none`: the mode answered.
 */
export type Stance = "deny" | "ask" | "doubt" | "allow" | "none";

/** What was found about one part, or about the call as a whole. */
export interface PartFinding {
  readonly decision: PermissionDecision;
  readonly by: DecidedBy;
  readonly stance: Stance;
  readonly rule: PolicyRule | null;
  readonly why: string;
}

export function deniedByRule(rule: PolicyRule, why: string): PartFinding {
  return { decision: "deny", by: "rule", stance: "deny", rule, why };
}

/** A matched ask rule, a protected path, a critical removal: the mode may turn the question into a refusal, nothing else. */
export function askedBy(
  mode: Mode,
  by: DecidedBy,
  why: string,
  rule: PolicyRule | null = null,
  deed: ActionKind = "asked",
): PartFinding {
  const decision = decideByMode(mode, deed);
  return { decision, by, stance: decision === "allow" ? "none" : "ask", rule, why };
}

/** The first deny rule that is met, else the first ask rule; `what` is what they restrict, for the reason. */
export function restrictedBy(
  rules: { readonly deny: readonly PolicyRule[]; readonly ask: readonly PolicyRule[] },
  met: (rule: PolicyRule) => boolean,
  what: string,
  mode: Mode,
): PartFinding | undefined {
  const deny = rules.deny.find(met);
  if (deny) return deniedByRule(deny, `${deny.text} denies ${what}`);
  const ask = rules.ask.find(met);
  return ask && askedBy(mode, "rule", `${ask.text} asks about ${what}`, ask);
}

export function allowedByRule(rule: PolicyRule): PartFinding {
  return { decision: "allow", by: "rule", stance: "allow", rule, why: `${rule.text} covers it` };
}

export function allowedAsHarmless(why: string): PartFinding {
  return { decision: "allow", by: "read-only", stance: "allow", rule: null, why };
}

/** No rule decided: the mode answers. */
export function modeDecides(mode: Mode, deed: ActionKind, why: string): PartFinding {
  return { decision: decideByMode(mode, deed), by: "mode", stance: "none", rule: null, why };
}

/** What cannot be used at all: no rule, mode or hook makes it right. */
export function unusableInput(why: string): PartFinding {
  return { decision: "deny", by: "analysis", stance: "deny", rule: null, why };
}

const strength: Readonly<Record<PermissionDecision, number>> = { allow: 0, ask: 1, deny: 2 };
const firmness: Readonly<Record<Stance, number>> = { allow: 0, none: 1, doubt: 2, ask: 3, deny: 4 };

/** Allow needs all, ask and deny one: the strictest finding, of equal ones the firmest, then the first. */
export function strictest(findings: readonly (PartFinding | undefined)[]): PartFinding | undefined {
  let worst: PartFinding | undefined;
  for (const finding of findings) {
    if (finding === undefined) continue;
    if (worst === undefined || compare(finding, worst) > 0) worst = finding;
  }
  return worst;
}

function compare(a: PartFinding, b: PartFinding): number {
  return strength[a.decision] - strength[b.decision] || firmness[a.stance] - firmness[b.stance];
}

export function firmest(findings: readonly PartFinding[]): Stance {
  return findings.reduce<Stance>((worst, { stance }) => (firmness[stance] > firmness[worst] ? stance : worst), "allow");
}

export function refOf(rule: PolicyRule | null): RuleRef | null {
  if (rule === null) return null;
  const { text, list, scope, file } = rule;
  return file === undefined ? { text, list, scope } : { text, list, scope, file };
}

/** A part that was not taken apart any further: it has no head, and is where the call is. */
export function wholePart(
  { kind, text, at = [0, 0] }: Pick<JudgedPart, "kind" | "text"> & Partial<Pick<JudgedPart, "at">>,
  { decision, by, rule, why }: PartFinding,
  cwd: string,
): JudgedPart {
  return { kind, text, at, head: null, dynamic: false, via: [], cwd, decision, by, rule: refOf(rule), why };
}

type PermissionDecision = "allow" | "ask" | "deny";

/** What a part does, as far as modes tell things apart. "Inside" is the working directory, the project and added directories. */
export type ActionKind =
  | "read-inside"
  | "read-outside"
  | "edit-inside"
  | "edit-outside"
  | "shell-write-inside"
  | "other"
  | "protected"
  | "own-file"
  | "asked";

const table: Readonly<
  Record<
    ActionKind,
    readonly [PermissionDecision, PermissionDecision, PermissionDecision, PermissionDecision, PermissionDecision]
  >
> = {
  "read-inside": ["allow", "allow", "allow", "allow", "allow"],
  "read-outside": ["ask", "ask", "ask", "deny", "allow"],
  "edit-inside": ["ask", "allow", "deny", "deny", "allow"],
  "edit-outside": ["ask", "ask", "deny", "deny", "allow"],
  "shell-write-inside": ["ask", "allow", "ask", "deny", "allow"],
  other: ["ask", "ask", "ask", "deny", "allow"],
  protected: ["ask", "ask", "deny", "deny", "allow"],
  "own-file": ["ask", "ask", "deny", "deny", "ask"],
  /** A matched ask rule, a critical removal, and what may be neither allowed nor bypassed. */
  asked: ["ask", "ask", "ask", "deny", "ask"],
};

export function decideByMode(mode: Mode, deed: ActionKind): PermissionDecision {
  // `auto` asks where `default` asks; the host lets its classifier answer.
  const column = mode === "auto" ? 0 : modes.indexOf(mode);
  return table[deed][column] ?? "ask";
}

/** What looking at a call's content gave. */
export interface CallContent {
  readonly kind: ToolKind;
  readonly findings: readonly PartFinding[];
  readonly parts: readonly JudgedPart[];
  readonly complete: boolean;
  readonly problems: readonly ShellProblem[];
}
