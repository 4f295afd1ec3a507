import type { PermissionUpdate, ToolInput } from "../../protocol/index.ts";
import type { Scope } from "../rule-layer.ts";
import type { RuleList } from "../rules/rule-meaning.ts";
import type { ShellProblem, Span } from "../shell/shell-part.ts";
import type { RuleWarning } from "../warning.ts";
import type { Answer, Mode } from "./mode.ts";

/** What decided. */
export type DecidedBy = "rule" | "mode" | "read-only" | "protected" | "critical" | "analysis" | "unattended";

export interface RuleRef {
  readonly text: string;
  readonly list: RuleList;
  readonly scope: Scope;
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
  readonly decision: Answer;
  readonly by: DecidedBy;
  readonly rule: RuleRef | null;
  readonly why: string;
}

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
  readonly decision: Answer;
  readonly reason: string;
  /** An `ask` that became `deny` because nobody is there. */
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
