import type { PolicyRule } from "../policy.ts";
import { covers } from "../rules/spec-patterns.ts";
import { analyseText, type ShellAnalysis } from "../shell/analyse.ts";
import { coversText, displayText, joinsCommands } from "../shell/command-text.ts";
import { maskCharacter } from "../shell/prepare-text.ts";
import { type CommandPart, headOf, type ShellPart, staticValue } from "../shell/shell-part.ts";
import { criticalWords } from "../shell/word-scan.ts";
import { judgeByWords } from "./judge-by-words.ts";
import { judgeCommand, type ShellTextFacts } from "./judge-command.ts";
import { type JudgeState, type RulesOn, rulesOn } from "./judge-context.ts";
import { judgeRedirection } from "./judge-shell-files.ts";
import {
  allowedAsHarmless,
  allowedByRule,
  askedBy,
  type CallContent,
  type JudgedPart,
  modeDecides,
  type PartFinding,
  refOf,
  restrictedBy,
  strictest,
  unusableInput,
  wholePart,
} from "./judgement.ts";

/** Judges a command for bash: every part separately, then the text as a whole. */
export function judgeShell(text: string, tool: string, state: JudgeState): Omit<CallContent, "kind"> {
  const { cwd, home, envNames } = state.context;
  const analysis = analyseText(text, envNames ? { cwd, home, envNames } : { cwd, home });
  const rules = rulesOn([tool], state.policy);
  const [tainted] = analysis.parts.flatMap((part) => (part.kind === "state" && part.unsafe ? [part.unsafe] : []));
  const whole: ShellTextFacts = { alone: changesIn(analysis.parts) < 2, source: text, tainted };
  const judged = analysis.parts
    .map((part) => ({ part, finding: judgePart(part, whole, rules, state) }))
    .sort(byPosition);
  const fromIncomplete = analysis.complete ? [] : judgeIncomplete(analysis, rules, state);
  const fromWords = state.hasSkippedFiles() ? judgeByWords(text, rules, state, true) : undefined;
  const joined = judgeJoinedRules(analysis, rules, state);
  const onText = [...fromIncomplete, fromWords, joined].filter((finding) => finding !== undefined);
  return {
    findings: [...onText, ...judged.map(({ finding }) => finding)],
    parts: judged.map(({ part, finding }) => describePart(part, finding, text)),
    complete: analysis.complete,
    problems: analysis.problems,
  };
}

function changesIn(parts: readonly ShellPart[]): number {
  return parts.filter(
    (part) => part.kind === "write" || (part.kind === "command" && /^(mkdir|touch|cp|mv)$/.test(headOf(part) ?? "")),
  ).length;
}

/** Sorts parts by position, and a command before its own redirections. */
function byPosition(a: { part: ShellPart }, b: { part: ShellPart }): number {
  return a.part.at[0] - b.part.at[0] || Number(a.part.kind !== "command") - Number(b.part.kind !== "command");
}

/** Judges a text that could not be analyzed completely, by the words that occur in it. */
export function judgeIncomplete(analysis: ShellAnalysis, rules: RulesOn, state: JudgeState): PartFinding[] {
  const { mode, policy } = state;
  const [problem] = analysis.problems;
  if (analysis.problems.some(({ code }) => code === "nul")) return [unusableInput("the command holds a NUL character")];
  const why = `it cannot be analyzed (${problem?.text ?? "unknown"})`;
  const fromWords = judgeByWords(analysis.text, rules, state, analysis.parts.length === 0);
  if (fromWords) return [{ ...fromWords, why: `${fromWords.why}, and ${why}` }];
  const critical = criticalWords(analysis.text, state.context);
  if (critical !== undefined) return [askedBy(mode, "critical", `it may remove ${critical}, and ${why}`)];
  const named = rules.deny.length + rules.ask.length > 0;
  const onFiles = [...policy.deny, ...policy.ask].some(
    ({ meaning }) => meaning.toolKind === "read" || meaning.toolKind === "edit",
  );
  const answer = modeDecides(mode, named || onFiles ? "asked" : "other", why);
  return [{ ...answer, by: "analysis", stance: named ? "doubt" : "none" }];
}

function judgePart(part: ShellPart, whole: ShellTextFacts, rules: RulesOn, state: JudgeState): PartFinding {
  if (part.kind === "command") return judgeCommand(part, whole, rules, state);
  if (part.kind !== "state") return judgeRedirection(part, state);
  const matches = ({ meaning: { target } }: PolicyRule) =>
    target.kind === "command" && covers(target.pattern, part.text);
  const restricted = restrictedBy(rules, matches, part.text, state.mode);
  if (restricted) return restricted;
  if (part.unsafe === undefined) return allowedAsHarmless("it changes nothing outside this shell");
  const why = `it sets ${part.unsafe}, which can change what other commands do; no rule allows that`;
  return modeDecides(state.mode, "other", why);
}

function describePart(part: ShellPart, finding: PartFinding, source: string): JudgedPart {
  const { decision, by, why } = finding;
  const { at, via, places } = part;
  const [folder] = places.folders;
  const cwd = places.unknown || places.folders.length !== 1 || folder === undefined ? null : folder;
  return { kind: part.kind, ...describeText(part, source), at, via, cwd, decision, by, rule: refOf(finding.rule), why };
}

function describeText(part: ShellPart, source: string): Pick<JudgedPart, "text" | "head" | "dynamic"> {
  if (part.kind === "state") return { text: part.text, head: part.head, dynamic: false };
  if (part.kind === "command") {
    const text = unmaskedText(part, source) ?? displayText(part);
    const dynamic = part.openEnded || part.words.some((word) => staticValue(word) === undefined);
    return { text, head: headOf(part) ?? null, dynamic };
  }
  return { text: `${part.operator} ${part.target.raw}`, head: null, dynamic: staticValue(part.target) === undefined };
}

/** The original text of a command in which the analysis masked a here-document; undefined for any other. */
function unmaskedText({ raw, at }: CommandPart, source: string): string | undefined {
  if (!raw.includes(maskCharacter)) return undefined;
  const original = source.slice(Math.max(at[0], at[1] - raw.length), at[1]);
  if (original.length !== raw.length || original === raw) return undefined;
  const isSameText = raw.split("").every((char, index) => char === maskCharacter || char === original[index]);
  return isSameText ? original : undefined;
}

/**
 * Deny and ask rules that span several commands, such as `Bash(curl * | bash)`. No single command matches them, so they are compared
 * with the whole text and with each of its pipelines. Blanks around the operators do not matter.
 */
function judgeJoinedRules({ text, parts }: ShellAnalysis, rules: RulesOn, state: JudgeState): PartFinding | undefined {
  const [deny, ask] = [rules.deny.filter(spansCommands), rules.ask.filter(spansCommands)];
  const commands = parts.filter(({ kind }) => kind === "command").length;
  if (deny.length + ask.length === 0 || commands < 2) return undefined;
  const isCovering = coversText(text);
  const meets = ({ meaning: { target } }: PolicyRule) => target.kind === "command" && isCovering(target.pattern);
  return restrictedBy({ deny, ask }, meets, "it", state.mode);
}

function spansCommands({ meaning: { target } }: PolicyRule): boolean {
  return target.kind === "command" && joinsCommands(target.pattern);
}

/** Judges a command for a shell that is not analyzed: only an exact rule allows it, and a rule whose words occur in it restricts it. */
export function judgeUnanalysedText(command: string, tool: string, state: JudgeState): Omit<CallContent, "kind"> {
  const text = command.trim();
  const found = judgeUnanalysed(text, tool, state);
  const part = wholePart({ kind: "command", text, at: [0, command.length] }, found, state.context.cwd);
  return { findings: [found], parts: [part], complete: false, problems: [] };
}

function judgeUnanalysed(text: string, tool: string, state: JudgeState): PartFinding {
  const rules = rulesOn([tool], state.policy);
  const nul = text.includes("\0");
  const code = nul ? "nul" : "construct";
  const problems = [{ code, at: [0, text.length], text: "commands of this shell are not analyzed" }] as const;
  const fromIncomplete = judgeIncomplete({ text, complete: false, problems, parts: [] }, rules, state);
  const matches = ({ meaning: { target } }: PolicyRule) => target.kind === "command" && covers(target.pattern, text);
  const restricted = restrictedBy(rules, matches, "it", state.mode);
  if (restricted) return restricted;
  const strictestFinding = strictest(fromIncomplete);
  const exact = rules.allow.find(
    (rule) => rule.meaning.target.kind === "command" && rule.meaning.target.pattern.exact && matches(rule),
  );
  if (exact && strictestFinding?.stance !== "deny" && strictestFinding?.stance !== "ask") return allowedByRule(exact);
  return strictestFinding ?? askedBy(state.mode, "analysis", "commands of this shell are not analyzed");
}
