import { longestPath } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import { type CommandTexts, isCovered, meets, textsOf } from "../shell/command-text.ts";
import { copiedPaths, fileOperands, mostOperands, worksOnFiles } from "../shell/programs/file-operands.ts";
import { type CommandPart, staticValue } from "../shell/shell-part.ts";
import { escapePattern } from "../shell/word-pieces.ts";
import { criticalRemoval } from "../shell/word-scan.ts";
import { judgeNet, namesInText } from "./judge-by-words.ts";
import type { Access, Desk, RulesOn } from "./judge-context.ts";
import { shellRead, shellWrite } from "./judge-context.ts";
import { judgeNamed } from "./judge-file-names.ts";
import { judgeEdits, judgeReadOnly } from "./judge-shell-files.ts";
import { allowed, asked, byMode, denied, type Finding, strictest } from "./judgement.ts";
import { judgeOutside } from "./working-directories.ts";

/** What the text as a whole means for each command in it. */
export interface WholeText {
  /** A name it sets that may change what any of its commands do. */
  readonly tainted?: string;
  /** Whether one part at most changes files. */
  readonly alone: boolean;
  readonly source: string;
}

/** One command of a text. */
export function judgeCommand(part: CommandPart, text: WholeText, rules: RulesOn, desk: Desk): Finding {
  const { mode } = desk;
  const texts = textsOf(part);
  const inner = part.opaque === undefined ? undefined : judgeOpaque(part, rules, desk);
  const firm = strictest([
    judgeRules(texts, rules, desk),
    inner,
    judgeRemoval(part, desk),
    judgeOperands(part, text.source, desk),
    judgeOutside(part, desk),
  ]);
  if (firm) return firm;
  if (texts.head === undefined && !part.carried)
    return byMode(mode, "other", "which program runs is not known beforehand");
  if (text.tainted !== undefined) {
    return byMode(mode, "other", `the command sets ${text.tainted}; no rule allows anything beside that`);
  }
  if (!part.carried && entersRepository(part, desk)) {
    return byMode(mode, "other", "git in another folder runs what that folder's configuration names");
  }
  const rule = coveringRule(part, texts, rules.allow);
  if (rule) return allowed(rule);
  if (part.opaque !== undefined) return byMode(mode, "other", `${part.opaque}; only an exact rule can allow it`);
  return judgeReadOnly(part, desk) ?? judgeEdits(part, text.alone, desk) ?? byMode(mode, "other", "no rule");
}

function judgeRemoval(part: CommandPart, desk: Desk): Finding | undefined {
  const critical = criticalRemoval(part, desk.context);
  return critical === undefined
    ? undefined
    : asked(desk.mode, "critical", `it removes ${critical}: too much to pass unasked`);
}

function judgeRules(texts: CommandTexts, rules: RulesOn, desk: Desk): Finding | undefined {
  const deny = strongest(texts, rules.deny);
  if (deny?.met === "surely") return denied(deny.rule, `${deny.rule.text} denies it`);
  const ask = strongest(texts, rules.ask);
  if (ask?.met === "surely") return asked(desk.mode, "rule", `${ask.rule.text} asks about it`, ask.rule);
  const maybe = (deny ?? ask)?.rule;
  return (
    maybe && asked(desk.mode, "rule", `${maybe.text} may apply: part of the command is not known beforehand`, maybe)
  );
}

/** What a command starts and does not show may be anything: words of a rule in it count, and any rule may apply. */
function judgeOpaque(part: CommandPart, rules: RulesOn, desk: Desk): Finding | undefined {
  const caught = judgeNet(part.raw, rules, desk, false);
  if (caught) return caught;
  const any = [...rules.deny, ...rules.ask].find(({ meaning }) => meaning.target.kind === "command");
  return any && asked(desk.mode, "rule", `${any.text} may apply: ${part.opaque}`, any);
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
function entersRepository({ words, places }: CommandPart, { context }: Desk): boolean {
  const head = words[0] && staticValue(words[0])?.split("/").at(-1);
  const home = context.cwd.length > 1 ? context.cwd.replace(/\/+$/, "") : context.cwd;
  return (
    head === "git" && (places.unknown || places.folders.some((folder) => folder !== home && folder !== context.cwd))
  );
}

/** Names of files among the words: rules that restrict reading or editing count, and protection. */
function judgeOperands(part: CommandPart, text: string, desk: Desk): Finding | undefined {
  const operands = fileOperands(part);
  const copied = copiedPaths(part, desk.context.home);
  const findings: (Finding | undefined)[] = [];
  const tooMany = operands.length + copied.length > mostOperands;
  const tooLong = operands.some(({ pattern }) => pattern !== undefined && pattern.length > 2 * longestPath);
  if (tooMany || tooLong) {
    findings.push(asked(desk.mode, "analysis", "the command names more files than are looked at"));
  }
  const judge = (pattern: string | undefined, raw: string, access: Access): void => {
    findings.push(judgeNamed({ pattern, raw }, access, part.places, desk));
  };
  for (const { pattern, raw, access } of operands.slice(0, mostOperands)) {
    judge(pattern, raw, access === "write" ? shellWrite : shellRead);
  }
  for (const path of copied.slice(0, mostOperands)) judge(escapePattern(path), path, shellWrite);
  if (part.fed && worksOnFiles(part)) findings.push(judgeFed(text, desk));
  return strictest(findings);
}

/** A command whose words come from elsewhere: a name that a rule denies, anywhere in the text, may become one of them. */
function judgeFed(text: string, desk: Desk): Finding | undefined {
  return desk.recall(`fed ${text}`, () => {
    const rule = namesInText(text, desk);
    return rule && asked(desk.mode, "rule", `${rule.text} may apply: what it names occurs in the command`, rule);
  });
}
