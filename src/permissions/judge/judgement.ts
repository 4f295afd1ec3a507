import type { PermissionUpdate, ToolInput } from "../../protocol/internal.ts";
import type { ResolvedPath } from "../paths/resolve-path.ts";
import type { Policy, PolicyRule, RuleRef } from "../policy.ts";
import { type Mode, modes, type RuleWarning } from "../rule-layer.ts";
import type { ToolKind } from "../rules/rule-tools.ts";
import type { ShellProblem, TextRange } from "../shell/shell-part.ts";

/** What decided; `read-only` is the list of such commands, `critical` a removal, `unattended` that there is no user to ask. */
export type DecidedBy = "rule" | "mode" | "read-only" | "protected" | "critical" | "analysis" | "unattended";

/** One thing that a call does, with its decision. */
export interface JudgedPart extends Pick<PartFinding, "decision" | "by" | "why"> {
  readonly kind: "command" | "write" | "read" | "state" | "path" | "domain" | "name";
  readonly text: string;
  readonly at: TextRange;
  readonly head: string | null;
  readonly dynamic: boolean;
  readonly via: readonly string[];
  /** The folder in which it runs; null if that is unknown. */
  readonly cwd: string | null;
  readonly rule: RuleRef | null;
}

/** A path of the call, resolved. */
export interface JudgedPath extends Pick<ResolvedPath, "given" | "resolved" | "links"> {
  readonly inside: boolean;
  readonly protected: boolean;
  readonly special: boolean;
}

/** The judgment of one tool call. `hookline check --json` prints it. */
export interface Judgement {
  readonly tool: string;
  /** What may happen to the call. */
  readonly decision: PermissionDecision;
  readonly reason: string;
  /** True for an `ask` that became `deny` because there is no user to ask. */
  readonly wouldAsk: boolean;
  /** What decided. */
  readonly by: DecidedBy;
  readonly mode: Mode;
  /** The rule that decided, with its file; null when none did. */
  readonly rule: RuleRef | null;
  /** False when a shell text could not be analyzed. */
  readonly complete: boolean;
  readonly problems: readonly ShellProblem[];
  /** What the call does, each with its own decision: the commands, reads and writes of a shell command, else one part. */
  readonly parts: readonly JudgedPart[];
  /** The files that the call names. */
  readonly paths: readonly JudgedPath[];
  /** Rule changes that would allow the call without a question. */
  readonly suggestions: readonly PermissionUpdate[];
  readonly warnings: readonly RuleWarning[];
  /** The result of the rules alone, before mode and attendance. `combine` needs it. */
  readonly stance: Stance;
  readonly attended: boolean;
  /** A frozen copy of the judged input. Run the tool with this one. */
  readonly input: ToolInput;
}

/**
 * `deny` and `ask`: decided by a rule, a protected path or a critical removal; a hook's allow does not override them. `doubt`: not
 * analyzed, and a deny or ask rule applies to the tool. `allow`: rules cover the whole call. `none`: the mode decided.
 */
export type Stance = "deny" | "ask" | "doubt" | "allow" | "none";

/** The result for one part of a call, or for the call as a whole. */
export interface PartFinding {
  readonly decision: PermissionDecision;
  readonly by: DecidedBy;
  readonly stance: Stance;
  readonly rule: PolicyRule | null;
  readonly why: string;
}

export function deniedByRule(rule: PolicyRule | null, why: string): PartFinding {
  return { decision: "deny", by: "rule", stance: "deny", rule, why };
}

/** A matched ask rule, a protected path or a critical removal. The mode may turn the ask into a deny, rarely into an allow. */
export function askedBy(
  mode: Mode,
  by: DecidedBy,
  why: string,
  rule: PolicyRule | null = null,
  action: ActionKind = "asked",
): PartFinding {
  const decision = decideByMode(mode, action);
  return { decision, by, stance: decision === "allow" ? "none" : "ask", rule, why };
}

/** The first deny rule that matches, else the first ask rule. The reason names `subject` as the restricted thing. */
export function restrictedBy(
  rules: Pick<Policy, "deny" | "ask">,
  matches: (rule: PolicyRule) => boolean,
  subject: string,
  mode: Mode,
): PartFinding | undefined {
  const deny = rules.deny.find(matches);
  if (deny) return deniedByRule(deny, `${deny.text} denies ${subject}`);
  const ask = rules.ask.find(matches);
  return ask && askedBy(mode, "rule", `${ask.text} asks about ${subject}`, ask);
}

/** A rule that applies for some values of what is not known beforehand. */
export function mayApply(rule: PolicyRule, why: string, mode: Mode): PartFinding {
  return askedBy(mode, "rule", `${rule.text} may apply: ${why}`, rule);
}

export function allowedByRule(rule: PolicyRule): PartFinding {
  return { decision: "allow", by: "rule", stance: "allow", rule, why: `${rule.text} covers it` };
}

export function allowedAsHarmless(why: string): PartFinding {
  return { decision: "allow", by: "read-only", stance: "allow", rule: null, why };
}

/** Paths beyond the limit are not examined, so the command needs a confirmation. */
export function askedForTooManyFiles(mode: Mode): PartFinding {
  return askedBy(mode, "analysis", "the command names more files than are examined");
}

/** No rule decided: the mode does. */
export function modeDecides(mode: Mode, action: ActionKind, why: string): PartFinding {
  return { decision: decideByMode(mode, action), by: "mode", stance: "none", rule: null, why };
}

/** Input that cannot be used. No rule, mode or hook can allow it. */
export function unusableInput(why: string): PartFinding {
  return { decision: "deny", by: "analysis", stance: "deny", rule: null, why };
}

const strength: Readonly<Record<PermissionDecision, number>> = { allow: 0, ask: 1, deny: 2 };
const firmness: Readonly<Record<Stance, number>> = { allow: 0, none: 1, doubt: 2, ask: 3, deny: 4 };

/** The strictest finding. Of equally strict ones the firmest, then the first. */
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

export function strongestStance(findings: readonly PartFinding[]): Stance {
  return findings.reduce<Stance>((worst, { stance }) => (firmness[stance] > firmness[worst] ? stance : worst), "allow");
}

export function refOf(rule: PolicyRule | null): RuleRef | null {
  if (rule === null) return null;
  const { meaning: _, ...ref } = rule;
  return ref;
}

/** A part that is not analyzed further: it has no head and runs in the folder of the call. */
export function wholePart(
  { kind, text, at = [0, 0] }: Pick<JudgedPart, "kind" | "text"> & Partial<Pick<JudgedPart, "at">>,
  { decision, by, rule, why }: PartFinding,
  cwd: string,
): JudgedPart {
  return { kind, text, at, head: null, dynamic: false, via: [], cwd, decision, by, rule: refOf(rule), why };
}

/** What may happen to a call. */
export type PermissionDecision = "allow" | "ask" | "deny";

type ForEach<Modes> = { readonly [Column in keyof Modes]: PermissionDecision };

/** The kinds of actions that modes distinguish. The columns are those of `modes`. "Inside" is inside the working directories. */
const decisions = {
  "read-inside": ["allow", "allow", "allow", "allow", "allow"],
  "read-outside": ["ask", "ask", "ask", "deny", "allow"],
  "edit-inside": ["ask", "allow", "deny", "deny", "allow"],
  "edit-outside": ["ask", "ask", "deny", "deny", "allow"],
  "shell-write-inside": ["ask", "allow", "ask", "deny", "allow"],
  other: ["ask", "ask", "ask", "deny", "allow"],
  protected: ["ask", "ask", "deny", "deny", "allow"],
  "own-file": ["ask", "ask", "deny", "deny", "ask"],
  /** A matched ask rule, a critical removal, and anything else that may be neither allowed nor bypassed. */
  asked: ["ask", "ask", "ask", "deny", "ask"],
} as const satisfies Readonly<Record<string, ForEach<typeof modes>>>;

export type ActionKind = keyof typeof decisions;

export function decideByMode(mode: Mode, action: ActionKind): PermissionDecision {
  // `auto` asks where `default` asks; the host's classifier then decides.
  const column = mode === "auto" ? 0 : modes.indexOf(mode);
  return decisions[action][column] ?? "ask";
}

/** The result of judging a call's content. */
export interface CallContent extends Pick<Judgement, "parts" | "complete" | "problems"> {
  readonly kind: ToolKind;
  readonly findings: readonly PartFinding[];
}
