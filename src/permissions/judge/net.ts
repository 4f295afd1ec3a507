import type { PolicyRule } from "../policy.ts";
import { namesNeeded } from "../rules/path-pattern.ts";
import { castNet, isCaught } from "../shell/net.ts";
import type { Desk } from "./desk.ts";
import { asked, denied, type Finding } from "./finding.ts";
import type { RulesOn } from "./rules-on.ts";

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

/** A deny rule on files whose every name occurs in a text. */
export function namesInText(text: string, desk: Desk): PolicyRule | undefined {
  const folded = desk.folds(desk.context.cwd);
  const wanted = desk.policy.deny.flatMap((rule) =>
    rule.meaning.target.kind === "path" ? [{ rule, names: namesNeeded(rule.meaning.target.pattern, folded) }] : [],
  );
  if (wanted.length === 0) return undefined;
  const net = castNet(text, { words: [], names: wanted.flatMap(({ names }) => names) });
  return wanted.find(({ names }) => names.length > 0 && names.every((name) => net.names.has(name)))?.rule;
}
