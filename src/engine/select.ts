import type { EventRow, Skip, ToolInput } from "../protocol/index.ts";
import type { Condition, Place } from "./conditions.ts";
import type { ConfiguredHook } from "./configured.ts";
import { matcherDetail, matches } from "./matcher.ts";
import type { AnyPayload } from "./payload.ts";

/** One event as it fires, with what selecting has to look at. */
export interface Occasion {
  readonly row: EventRow;
  readonly payload: AnyPayload;
  /** What matchers are compared with; absent when the event matches on nothing or the field is missing. */
  readonly value: string | undefined;
  readonly place: Place;
}

export interface Selected {
  readonly hooks: readonly ConfiguredHook[];
  readonly skipped: readonly Skip[];
}

/** The hooks whose matcher and condition hold, in configured order. */
export function select(hooks: readonly ConfiguredHook[], occasion: Occasion): Selected {
  const matched = selectByMatcher(hooks, occasion.value);
  if (matched.hooks.every(({ condition }) => condition === null)) return matched;
  const kept: ConfiguredHook[] = [];
  const skipped: Skip[] = [...matched.skipped];
  for (const hook of matched.hooks) {
    const skip = skipByCondition(hook, occasion);
    if (skip === undefined) kept.push(hook);
    else skipped.push(skip);
  }
  return { hooks: kept, skipped };
}

/** The same hooks are asked about the same few values again and again, so the answer is kept as long as the hooks are. */
export function selectByMatcher(hooks: readonly ConfiguredHook[], value: string | undefined): Selected {
  const answers = answersOf(hooks);
  const known = answers.get(value);
  if (known !== undefined) return known;
  const skips = hooks.map((hook) => skipByMatcher(hook, value));
  const selected: Selected = {
    hooks: hooks.filter((_, index) => skips[index] === undefined),
    skipped: skips.filter((skip) => skip !== undefined),
  };
  if (answers.size >= mostAnswers) answers.clear();
  if (value === undefined || value.length <= longestValue) answers.set(value, selected);
  return selected;
}

function answersOf(hooks: readonly ConfiguredHook[]): Map<string | undefined, Selected> {
  const known = answered.get(hooks);
  if (known !== undefined) return known;
  const answers = new Map<string | undefined, Selected>();
  answered.set(hooks, answers);
  return answers;
}

const answered = new WeakMap<readonly ConfiguredHook[], Map<string | undefined, Selected>>();
const mostAnswers = 256;
const longestValue = 256;

function skipByMatcher({ ref, matcher, row }: ConfiguredHook, value: string | undefined): Skip | undefined {
  if (row.matchesOn === null || matches(matcher, value)) return undefined;
  return { hook: ref, why: "matcher", detail: matcherDetail(matcher, value) };
}

function skipByCondition({ ref, condition, hook }: ConfiguredHook, occasion: Occasion): Skip | undefined {
  if (condition === null) return undefined;
  const rule = hook.if ?? "";
  if (!occasion.row.special.onTool) {
    return { hook: ref, why: "if", detail: `${occasion.row.name} has no tool that if "${rule}" could hold for` };
  }
  if (condition === "never")
    return { hook: ref, why: "if", detail: `if "${rule}" is no permission rule and never holds` };
  if (conditionHolds(condition, occasion)) return undefined;
  return { hook: ref, why: "if", detail: `if "${rule}" does not hold for this call` };
}

function conditionHolds(condition: Condition, { payload, place }: Occasion): boolean {
  return condition(String(payload["tool_name"]), payload["tool_input"] as ToolInput, place);
}
