import type { Policy, PolicyRule } from "../policy.ts";
import { coversTool } from "../rules/tool-pattern.ts";

/** The rules of each list that name one of some tools. */
export interface RulesOn {
  readonly allow: readonly PolicyRule[];
  readonly ask: readonly PolicyRule[];
  readonly deny: readonly PolicyRule[];
}

/** Sorted out once per policy: judging asks for the same tools again and again. */
const sorted = new WeakMap<Policy, Map<string, RulesOn>>();

export function rulesOn(tools: readonly string[], policy: Policy): RulesOn {
  const known = sorted.get(policy) ?? new Map<string, RulesOn>();
  sorted.set(policy, known);
  const key = tools.join("\0");
  const before = known.get(key);
  if (before) return before;
  const named = (rules: readonly PolicyRule[]) =>
    rules.filter((rule) => tools.some((tool) => coversTool(rule.meaning.tools, tool, policy.names)));
  const found = { allow: named(policy.allow), ask: named(policy.ask), deny: named(policy.deny) };
  // Tool names come with the calls; a caller that makes them up must not fill the memory.
  if (known.size < 100) known.set(key, found);
  return found;
}
