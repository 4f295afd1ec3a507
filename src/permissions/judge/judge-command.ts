import { maxPathLength } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { type CommandTexts, isCovered, meets, textsOf } from "../shell/command-text.ts";
import { copiedPaths, fileOperands, maxOperands, worksOnFiles } from "../shell/programs/file-operands.ts";
import { type CommandPart, programName } from "../shell/shell-part.ts";
import { escapePattern } from "../shell/word-pieces.ts";
import { criticalRemoval } from "../shell/word-scan.ts";
import { judgeByWords, namesInText } from "./judge-by-words.ts";
import { type Access, type JudgeState, type RulesOn, shellRead, shellWrite } from "./judge-context.ts";
import { judgeNamedFiles } from "./judge-file-names.ts";
import { judgeEdits, judgeReadOnly } from "./judge-shell-files.ts";
import {
  allowedByRule,
  askedBy,
  askedForTooManyFiles,
  deniedByRule,
  mayApply,
  modeDecides,
  type PartFinding,
  strictest,
} from "./judgement.ts";
import { judgeOutsideReads } from "./working-directories.ts";

/** Facts about the whole text that matter for each command in it. */
export interface ShellTextFacts {
  /** A variable that the text sets and that may change what its commands do. */
  readonly tainted: string | undefined;
  /** Whether at most one part changes files. */
  readonly alone: boolean;
  readonly source: string;
}

/** Judges one command of a text. */
export function judgeCommand(part: CommandPart, text: ShellTextFacts, rules: RulesOn, state: JudgeState): PartFinding {
  const { mode } = state;
  const texts = textsOf(part);
  const insideOpaque = part.opaque === undefined ? undefined : judgeOpaque(part, rules, state);
  const restriction = strictest([
    judgeRules(texts, rules, state),
    insideOpaque,
    judgeRemoval(part, state),
    judgeOperands(part, text.source, state),
    judgeOutsideReads(part, state),
  ]);
  if (restriction) return restriction;
  if (texts.head === undefined && !part.carried)
    return modeDecides(mode, "other", "which program runs is not known beforehand");
  if (text.tainted !== undefined) {
    return modeDecides(mode, "other", `the command sets ${text.tainted}; no rule allows a command next to that`);
  }
  if (!part.carried && entersRepository(part, state)) {
    return modeDecides(mode, "other", "git in another folder runs what that folder's configuration names");
  }
  const rule = coveringRule(part, texts, rules.allow);
  if (rule) return allowedByRule(rule);
  if (part.opaque !== undefined) return modeDecides(mode, "other", `${part.opaque}; only an exact rule can allow it`);
  return judgeReadOnly(part, state) ?? judgeEdits(part, text.alone, state) ?? modeDecides(mode, "other", "no rule");
}

function judgeRemoval(part: CommandPart, state: JudgeState): PartFinding | undefined {
  const critical = criticalRemoval(part, state.context);
  return critical === undefined
    ? undefined
    : askedBy(state.mode, "critical", `it removes ${critical}: too much to pass unasked`);
}

function judgeRules(texts: CommandTexts, rules: RulesOn, state: JudgeState): PartFinding | undefined {
  const deny = firstMatch(texts, rules.deny);
  if (deny?.match === "surely") return deniedByRule(deny.rule, `${deny.rule.text} denies it`);
  const ask = firstMatch(texts, rules.ask);
  if (ask?.match === "surely") return askedBy(state.mode, "rule", `${ask.rule.text} asks about it`, ask.rule);
  const maybe = (deny ?? ask)?.rule;
  return maybe && mayApply(maybe, "part of the command is not known beforehand", state.mode);
}

/** A command that starts something unknown: a rule whose words occur in it applies, and any other rule may apply. */
function judgeOpaque(part: CommandPart, rules: RulesOn, state: JudgeState): PartFinding | undefined {
  const caught = judgeByWords(part.raw, rules, state, false);
  if (caught) return caught;
  const possible = [...rules.deny, ...rules.ask].find(({ meaning }) => meaning.target.kind === "command");
  return possible && mayApply(possible, `${part.opaque}`, state.mode);
}

/** The first rule that surely matches the command, else the first that may match. */
function firstMatch(
  texts: CommandTexts,
  rules: readonly PolicyRule[],
): { rule: PolicyRule; match: "surely" | "maybe" } | undefined {
  let maybe: PolicyRule | undefined;
  for (const rule of rules) {
    const { target } = rule.meaning;
    const met = target.kind === "command" ? meets(texts, target.pattern) : "no";
    if (met === "surely") return { rule, match: met };
    if (met === "maybe") maybe ??= rule;
  }
  return maybe && { rule: maybe, match: "maybe" };
}

/** An allow rule that covers the command, that is exact for a wrapper around it, or that covers a program which carries it. */
function coveringRule(part: CommandPart, texts: CommandTexts, allow: readonly PolicyRule[]): PolicyRule | undefined {
  const direct = allow.find(({ meaning: { target } }) => {
    if (target.kind === "all") return part.opaque === undefined;
    return (
      target.kind === "command" &&
      (part.opaque === undefined || target.pattern.exact) &&
      isCovered(texts, target.pattern)
    );
  });
  if (direct) return direct;
  let carried = part.carried === true;
  for (let outer = part.within; outer !== undefined; outer = outer.within) {
    const wrapper = textsOf(outer);
    const outerRule = allow.find(
      ({ meaning: { target } }) =>
        target.kind === "command" && (carried || target.pattern.exact) && isCovered(wrapper, target.pattern),
    );
    if (outerRule) return outerRule;
    carried &&= outer.carried === true;
  }
  return undefined;
}

/** Whether git runs in another folder, whose configuration can name programs to run. */
function entersRepository(part: CommandPart, { context: { cwd } }: JudgeState): boolean {
  if (programName(part) !== "git") return false;
  const withoutSlash = cwd.length > 1 ? cwd.replace(/\/+$/, "") : cwd;
  const { unknown, folders } = part.places;
  return unknown || folders.some((folder) => folder !== withoutSlash && folder !== cwd);
}

/** Judges the files among the words of a command: rules that restrict reading or editing, and protected files. */
function judgeOperands(part: CommandPart, text: string, state: JudgeState): PartFinding | undefined {
  const operands = fileOperands(part);
  const copied = copiedPaths(part, state.context.home);
  const findings: (PartFinding | undefined)[] = [];
  const tooMany = operands.length + copied.length > maxOperands;
  const tooLong = operands.some(({ pattern }) => pattern !== undefined && pattern.length > 2 * maxPathLength);
  if (tooMany || tooLong) findings.push(askedForTooManyFiles(state.mode));
  const judge = (pattern: string | undefined, raw: string, access: Access): void => {
    findings.push(judgeNamedFiles({ pattern, raw, access }, part.places, state));
  };
  for (const { pattern, raw, access } of operands.slice(0, maxOperands)) {
    judge(pattern, raw, access === "write" ? shellWrite : shellRead);
  }
  for (const path of copied.slice(0, maxOperands)) judge(escapePattern(path), path, shellWrite);
  if (part.fed && worksOnFiles(part)) findings.push(judgeFedWords(text, state));
  return strictest(findings);
}

/** A command that gets words from standard input: any denied name in the text may become one of them. */
function judgeFedWords(text: string, state: JudgeState): PartFinding | undefined {
  return state.cachedFinding(`fed ${text}`, () => {
    const rule = namesInText(text, state);
    return rule && mayApply(rule, "what it names occurs in the command", state.mode);
  });
}
