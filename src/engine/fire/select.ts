import type { Skip, ToolInput } from "../../protocol/internal.ts";
import { matcherDetail, matches } from "../match/matcher.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import type { HookEvent } from "./fire.ts";

export interface Selection {
  readonly hooks: readonly ConfiguredHook[];
  readonly skipped: readonly Skip[];
}

/** The hooks whose matcher and condition hold, in configured order. */
export function selectHooks(event: HookEvent): Selection {
  const matched = selectByMatcher(event.hooks, event.matched);
  if (matched.hooks.every(({ condition }) => condition === null)) return matched;
  const kept: ConfiguredHook[] = [];
  const skipped: Skip[] = [...matched.skipped];
  for (const hook of matched.hooks) {
    const skip = skipByCondition(hook, event);
    if (skip === undefined) kept.push(hook);
    else skipped.push(skip);
  }
  return { hooks: kept, skipped };
}

/** The same hooks are asked about the same few values again and again, so the answer is kept as long as the hooks are. */
export function selectByMatcher(hooks: readonly ConfiguredHook[], value: string | undefined): Selection {
  const answers = answered.get(hooks) ?? new Map<string | undefined, Selection>();
  answered.set(hooks, answers);
  const known = answers.get(value);
  if (known !== undefined) return known;
  const skips = hooks.map((hook) => skipByMatcher(hook, value));
  const selected: Selection = {
    hooks: hooks.filter((_, index) => skips[index] === undefined),
    skipped: skips.filter((skip) => skip !== undefined),
  };
  if (answers.size >= mostAnswers) answers.clear();
  if (value === undefined || value.length <= longestValue) answers.set(value, selected);
  return selected;
}

const answered = new WeakMap<readonly ConfiguredHook[], Map<string | undefined, Selection>>();
const mostAnswers = 256;
const longestValue = 256;

function skipByMatcher({ ref, matcher, row }: ConfiguredHook, value: string | undefined): Skip | undefined {
  if (row.matchesOn === null || matches(matcher, value)) return undefined;
  return { hook: ref, why: "matcher", detail: matcherDetail(matcher, value) };
}

function skipByCondition({ ref, condition, hook }: ConfiguredHook, event: HookEvent): Skip | undefined {
  if (condition === null) return undefined;
  const rule = hook.if ?? "";
  if (!event.row.special.onTool) {
    return { hook: ref, why: "if", detail: `${event.row.name} has no tool that if "${rule}" could hold for` };
  }
  if (condition === "never")
    return { hook: ref, why: "if", detail: `if "${rule}" is not a permission rule and never holds` };
  const { tool_name: tool, tool_input: input, cwd } = event.payload;
  const { home, cwd: projectRoot } = event.services.options;
  if (condition(String(tool), input as ToolInput, { cwd: String(cwd), home, projectRoot })) return undefined;
  return { hook: ref, why: "if", detail: `if "${rule}" does not hold for this call` };
}
