import { maxPathLength } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { type CommandTexts, isCovered, meets, textsOf } from "../shell/command-text.ts";
import { copiedPaths, fileOperands, maxOperands, worksOnFiles } from "../shell/programs/file-operands.ts";
import { type CommandPart, staticValue } from "../shell/shell-part.ts";
import { escapePattern } from "../shell/word-pieces.ts";
import { criticalRemoval } from "../shell/word-scan.ts";
import { judgeByWords, namesInText } from "./judge-by-words.ts";
import type { Access, JudgeState, RulesOn } from "./judge-context.ts";
import { shellRead, shellWrite } from "./judge-context.ts";
import { judgeNamed } from "./judge-file-names.ts";
import { judgeEdits, judgeReadOnly } from "./judge-shell-files.ts";
import { allowedByRule, askedBy, deniedByRule, modeDecides, type PartFinding, strictest } from "./judgement.ts";
import { judgeOutside } from "./working-directories.ts";

/** What the text as a whole means for each command in it. */
export interface ShellTextFacts {
  /** A name it sets that may change what any of its commands do. */
  readonly tainted?: string;
  /** Whether one part at most changes files. */
  readonly alone: boolean;
  readonly source: string;
}

/** One command of a text. */
export function judgeCommand(part: CommandPart, text: ShellTextFacts, rules: RulesOn, state: JudgeState): PartFinding {
  const { mode } = state;
  const texts = textsOf(part);
  const inner = part.opaque === undefined ? undefined : judgeOpaque(part, rules, state);
  const firm = strictest([
    judgeRules(texts, rules, state),
    inner,
    judgeRemoval(part, state),
    judgeOperands(part, text.source, state),
    judgeOutside(part, state),
  ]);
  if (firm) return firm;
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
  const deny = strongest(texts, rules.deny);
  if (deny?.met === "surely") return deniedByRule(deny.rule, `${deny.rule.text} denies it`);
  const ask = strongest(texts, rules.ask);
  if (ask?.met === "surely") return askedBy(state.mode, "rule", `${ask.rule.text} asks about it`, ask.rule);
  const maybe = (deny ?? ask)?.rule;
  return (
    maybe && askedBy(state.mode, "rule", `${maybe.text} may apply: part of the command is not known beforehand`, maybe)
  );
}

/** What a command starts and does not show may be anything: words of a rule in it count, and any rule may apply. */
function judgeOpaque(part: CommandPart, rules: RulesOn, state: JudgeState): PartFinding | undefined {
  const caught = judgeByWords(part.raw, rules, state, false);
  if (caught) return caught;
  const any = [...rules.deny, ...rules.ask].find(({ meaning }) => meaning.target.kind === "command");
  return any && askedBy(state.mode, "rule", `${any.text} may apply: ${part.opaque}`, any);
}

/** The first rule that surely meets the command, else the first that may. */
function strongest(
  texts: CommandTexts,
  rules: readonly PolicyRule[],
): { rule: PolicyRule; met: "surely" | "maybe" } | undefined {
  let maybe: PolicyRule | undefined;
  for (const rule of rules) {
    const { target } = rule.meaning;
    const met = target.kind === "command" ? meets(texts, target.pattern) : "no";
    if (met === "surely") return { rule, met };
    if (met === "maybe") maybe ??= rule;
  }
  return maybe && { rule: maybe, met: "maybe" };
}

/** A rule that covers the command, the exact rule of a wrapper around it, or any rule of one that carries it. */
function coveringRule(part: CommandPart, texts: CommandTexts, allow: readonly PolicyRule[]): PolicyRule | undefined {
  const covering = allow.find(({ meaning: { target } }) => {
    if (target.kind === "all") return part.opaque === undefined;
    return (
      target.kind === "command" &&
      (part.opaque === undefined || target.pattern.exact) &&
      isCovered(texts, target.pattern)
    );
  });
  if (covering) return covering;
  let carried = part.carried === true;
  for (let outer = part.within; outer !== undefined; outer = outer.within) {
    const wrapper = textsOf(outer);
    const around = allow.find(
      ({ meaning: { target } }) =>
        target.kind === "command" && (carried || target.pattern.exact) && isCovered(wrapper, target.pattern),
    );
    if (around) return around;
    carried &&= outer.carried === true;
  }
  return undefined;
}

/** Another folder's configuration can name programs that git runs. */
function entersRepository({ words, places }: CommandPart, { context }: JudgeState): boolean {
  const head = words[0] && staticValue(words[0])?.split("/").at(-1);
  const home = context.cwd.length > 1 ? context.cwd.replace(/\/+$/, "") : context.cwd;
  return (
    head === "git" && (places.unknown || places.folders.some((folder) => folder !== home && folder !== context.cwd))
  );
}

/** Names of files among the words: rules that restrict reading or editing count, and protection. */
function judgeOperands(part: CommandPart, text: string, state: JudgeState): PartFinding | undefined {
  const operands = fileOperands(part);
  const copied = copiedPaths(part, state.context.home);
  const findings: (PartFinding | undefined)[] = [];
  const tooMany = operands.length + copied.length > maxOperands;
  const tooLong = operands.some(({ pattern }) => pattern !== undefined && pattern.length > 2 * maxPathLength);
  if (tooMany || tooLong) {
    findings.push(askedBy(state.mode, "analysis", "the command names more files than are looked at"));
  }
  const judge = (pattern: string | undefined, raw: string, access: Access): void => {
    findings.push(judgeNamed({ pattern, raw }, access, part.places, state));
  };
  for (const { pattern, raw, access } of operands.slice(0, maxOperands)) {
    judge(pattern, raw, access === "write" ? shellWrite : shellRead);
  }
  for (const path of copied.slice(0, maxOperands)) judge(escapePattern(path), path, shellWrite);
  if (part.fed && worksOnFiles(part)) findings.push(judgeFed(text, state));
  return strictest(findings);
}

/** A command whose words come from elsewhere: a name that a rule denies, anywhere in the text, may become one of them. */
function judgeFed(text: string, state: JudgeState): PartFinding | undefined {
  return state.recall(`fed ${text}`, () => {
    const rule = namesInText(text, state);
    return rule && askedBy(state.mode, "rule", `${rule.text} may apply: what it names occurs in the command`, rule);
  });
}
