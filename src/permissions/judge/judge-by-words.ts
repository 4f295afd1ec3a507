import type { PolicyRule } from "../policy.ts";
import { namesNeeded } from "../rules/path-pattern.ts";
import { compileSegment, type Segment, segmentFits } from "../rules/path-segment.ts";
import { forEachPlainWord, type NameTest, occursInOrder, scanWords } from "../shell/word-scan.ts";
import type { JudgeState, RulesOn } from "./judge-context.ts";
import { askedBy, deniedByRule, type PartFinding } from "./judgement.ts";

/** Words of command rules and, `withFiles`, names of path rules: searches for them in a text that could not be parsed. */
export function judgeByWords(
  text: string,
  rules: RulesOn,
  state: JudgeState,
  withFiles: boolean,
): PartFinding | undefined {
  const { policy, mode } = state;
  const folded = withFiles && state.folds(state.context.cwd);
  const traces = (from: readonly PolicyRule[], onFiles: readonly PolicyRule[]) => [
    ...from.flatMap((rule) =>
      rule.meaning.target.kind === "command" ? [{ rule, words: rule.meaning.target.pattern.words }] : [],
    ),
    ...(withFiles ? onFiles : []).flatMap((rule) =>
      rule.meaning.target.kind === "path" ? [{ rule, names: namesNeeded(rule.meaning.target.pattern, folded) }] : [],
    ),
  ];
  const [deny, ask] = [traces(rules.deny, policy.deny), traces(rules.ask, policy.ask)];
  const all = [...deny, ...ask];
  const net = scanWords(text, {
    words: all.flatMap((trace) => ("words" in trace ? trace.words : [])),
    names: all.flatMap((trace) => ("names" in trace ? trace.names : [])),
  });
  const found = (trace: (typeof all)[number]) =>
    "words" in trace
      ? occursInOrder(net, trace.words)
      : trace.names.length > 0 && trace.names.every((name) => net.names.has(name));
  const denying = deny.find(found)?.rule;
  if (denying) return deniedByRule(denying, `what ${denying.text} names occurs in it`);
  const asking = ask.find(found)?.rule;
  return asking && askedBy(mode, "rule", `what ${asking.text} names occurs in it`, asking);
}

/** A deny rule on files whose every name occurs in a text, as it is or as what a glob such as `.env*` may become. */
export function namesInText(text: string, state: JudgeState): PolicyRule | undefined {
  const folded = state.folds(state.context.cwd);
  const wanted = state.policy.deny.flatMap((rule) =>
    rule.meaning.target.kind === "path" ? [{ rule, names: namesNeeded(rule.meaning.target.pattern, folded) }] : [],
  );
  if (wanted.length === 0) return undefined;
  const net = scanWords(text, { words: [], names: wanted.flatMap(({ names }) => names) });
  const globs = globsIn(text);
  const occurs = (name: NameTest): boolean =>
    net.names.has(name) ||
    globs.some((glob) => name.literal !== undefined && segmentFits(glob, name.literal, name.folded));
  // More globs than are looked at may name anything.
  const found = ({ names }: { names: readonly NameTest[] }) => globs.length > maxGlobs || names.every(occurs);
  return wanted.find((one) => one.names.length > 0 && found(one))?.rule;
}

const maxGlobs = 200;
const maxGlobLength = 256;

/** The segments of a text that are globs and say more than `*`. */
function globsIn(text: string): readonly Segment[] {
  const globs = new Set<string>();
  forEachPlainWord(text, (word) => {
    if (globs.size > maxGlobs || !/[*?[]/.test(word)) return;
    for (const segment of word.split("/"))
      if (segment.length <= maxGlobLength && /[*?[]/.test(segment) && /[\p{L}\p{N}]/u.test(segment)) globs.add(segment);
  });
  return [...globs].map((glob) => compileSegment(glob, "bash"));
}
