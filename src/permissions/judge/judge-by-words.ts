import type { PolicyRule } from "../policy.ts";
import { requiredNames } from "../rules/path-pattern.ts";
import { compileSegment, literalName, matchesSegment, type Segment } from "../rules/path-segment.ts";
import { occursInOrder, plainWords, scanWords } from "../shell/word-scan.ts";
import type { JudgeState, RulesOn } from "./judge-context.ts";
import { askedBy, deniedByRule, type PartFinding } from "./judgement.ts";

/** Searches a text that could not be parsed for the words of command rules and, `withFiles`, for the names in path rules. */
export function judgeByWords(
  text: string,
  rules: RulesOn,
  state: JudgeState,
  withFiles: boolean,
): PartFinding | undefined {
  const { policy, mode } = state;
  const folded = withFiles && state.foldsCaseAt(state.context.cwd);
  const searchesFor = (from: readonly PolicyRule[], onFiles: readonly PolicyRule[]) => [
    ...from.flatMap((rule) =>
      rule.meaning.target.kind === "command" ? [{ rule, words: rule.meaning.target.pattern.words }] : [],
    ),
    ...(withFiles ? namesIn(onFiles) : []),
  ];
  const [deny, ask] = [searchesFor(rules.deny, policy.deny), searchesFor(rules.ask, policy.ask)];
  const searches = [...deny, ...ask];
  const scan = scanWords(text, {
    words: searches.flatMap((search) => ("words" in search ? search.words : [])),
    names: searches.flatMap((search) => ("names" in search ? search.names : [])),
    folded,
  });
  const occurs = (search: (typeof searches)[number]) =>
    "words" in search
      ? occursInOrder(scan, search.words)
      : search.names.length > 0 && search.names.every((name) => scan.names.has(name));
  const denying = deny.find(occurs)?.rule;
  if (denying) return deniedByRule(denying, `what ${denying.text} names occurs in it`);
  const asking = ask.find(occurs)?.rule;
  return asking && askedBy(mode, "rule", `what ${asking.text} names occurs in it`, asking);
}

/** The rules on paths, each with the names that a path must contain. */
function namesIn(rules: readonly PolicyRule[]) {
  return rules.flatMap((rule) => {
    const { target } = rule.meaning;
    return target.kind === "path" ? [{ rule, names: requiredNames(target.pattern) }] : [];
  });
}

/** A deny rule on files whose names all occur in a text, literally or as a possible match of a glob such as `.env*`. */
export function namesInText(text: string, state: JudgeState): PolicyRule | undefined {
  const folded = state.foldsCaseAt(state.context.cwd);
  const candidates = namesIn(state.policy.deny);
  if (candidates.length === 0) return undefined;
  const scan = scanWords(text, { words: [], names: candidates.flatMap(({ names }) => names), folded });
  const globs = globsIn(text);
  const occurs = (name: Segment): boolean => {
    const literal = literalName(name, folded);
    return (
      scan.names.has(name) || (literal !== undefined && globs.some((glob) => matchesSegment(glob, literal, folded)))
    );
  };
  // With more globs than are examined, any name may occur.
  const tooManyGlobs = globs.length > maxGlobs;
  return candidates.find(({ names }) => names.length > 0 && (tooManyGlobs || names.every(occurs)))?.rule;
}

const maxGlobs = 200;
const maxGlobLength = 256;

/** The path segments in a text that are globs and contain at least one letter or digit. */
function globsIn(text: string): readonly Segment[] {
  const globs = new Set<string>();
  for (const word of plainWords(text)) {
    if (globs.size > maxGlobs) break;
    if (!/[*?[]/.test(word)) continue;
    for (const segment of word.split("/"))
      if (segment.length <= maxGlobLength && /[*?[]/.test(segment) && /[\p{L}\p{N}]/u.test(segment)) globs.add(segment);
  }
  return [...globs].map((glob) => compileSegment(glob, "bash"));
}
