import { compileShellSegment } from "../paths/shell-glob.ts";
import type { PolicyRule } from "../policy.ts";
import { namesNeeded } from "../rules/path-pattern.ts";
import { type Segment, segmentFits } from "../rules/path-segment.ts";
import { castNet, eachPlainWord, isCaught, type NameTest } from "../shell/word-scan.ts";
import type { Desk, RulesOn } from "./judge-context.ts";
import { asked, denied, type Finding } from "./judgement.ts";

/** Words of command rules and, `withFiles`, names of path rules: a trace of them in a text nobody could take apart. */
export function judgeNet(text: string, rules: RulesOn, desk: Desk, withFiles: boolean): Finding | undefined {
  const { policy, mode } = desk;
  const folded = withFiles && desk.folds(desk.context.cwd);
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
  const net = castNet(text, {
    words: all.flatMap((trace) => ("words" in trace ? trace.words : [])),
    names: all.flatMap((trace) => ("names" in trace ? trace.names : [])),
  });
  const found = (trace: (typeof all)[number]) =>
    "words" in trace
      ? isCaught(net, trace.words)
      : trace.names.length > 0 && trace.names.every((name) => net.names.has(name));
  const denying = deny.find(found)?.rule;
  if (denying) return denied(denying, `what ${denying.text} names occurs in it`);
  const asking = ask.find(found)?.rule;
  return asking && asked(mode, "rule", `what ${asking.text} names occurs in it`, asking);
}

/** A deny rule on files whose every name occurs in a text, as it is or as what a glob such as `.env*` may become. */
export function namesInText(text: string, desk: Desk): PolicyRule | undefined {
  const folded = desk.folds(desk.context.cwd);
  const wanted = desk.policy.deny.flatMap((rule) =>
    rule.meaning.target.kind === "path" ? [{ rule, names: namesNeeded(rule.meaning.target.pattern, folded) }] : [],
  );
  if (wanted.length === 0) return undefined;
  const net = castNet(text, { words: [], names: wanted.flatMap(({ names }) => names) });
  const globs = globsIn(text);
  const occurs = (name: NameTest): boolean =>
    net.names.has(name) ||
    globs.some((glob) => name.literal !== undefined && segmentFits(glob, name.literal, name.folded));
  // More globs than are looked at may name anything.
  const found = ({ names }: { names: readonly NameTest[] }) => globs.length > mostGlobs || names.every(occurs);
  return wanted.find((one) => one.names.length > 0 && found(one))?.rule;
}

const mostGlobs = 200;
const longestGlob = 256;

/** The segments of a text that are globs and say more than `*`. */
function globsIn(text: string): readonly Segment[] {
  const globs = new Set<string>();
  eachPlainWord(text, (word) => {
    if (globs.size > mostGlobs || !/[*?[]/.test(word)) return;
    for (const segment of word.split("/"))
      if (segment.length <= longestGlob && /[*?[]/.test(segment) && /[\p{L}\p{N}]/u.test(segment)) globs.add(segment);
  });
  return [...globs].map(compileShellSegment);
}
