import { holds } from "../permissions/index.ts";
import type { EventRow, Skip } from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import { matcherDetail, matches } from "./matcher.ts";
import type { AnyPayload } from "./payload.ts";

/** One event as it fires, with what selecting has to look at. */
export interface Occasion {
  readonly row: EventRow;
  readonly payload: AnyPayload;
  /** What matchers are compared with; absent when the event matches on nothing or the field is missing. */
  readonly value: string | undefined;
  /** Where a condition's relative paths lie. */
  readonly place: { readonly cwd: string; readonly home: string; readonly projectRoot: string };
}

export interface Selected {
  readonly hooks: readonly ConfiguredHook[];
  readonly skipped: readonly Skip[];
}

/** The hooks whose matcher and condition hold, in configured order. */
export function select(hooks: readonly ConfiguredHook[], occasion: Occasion): Selected {
  const kept: ConfiguredHook[] = [];
  const skipped: Skip[] = [];
  for (const hook of hooks) {
    const skip = skipByMatcher(hook, occasion) ?? skipByCondition(hook, occasion);
    if (skip === undefined) kept.push(hook);
    else skipped.push(skip);
  }
  return { hooks: kept, skipped };
}

function skipByMatcher({ ref, matcher, row }: ConfiguredHook, { value }: Occasion): Skip | undefined {
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

function conditionHolds(
  condition: Exclude<ConfiguredHook["condition"], null | "never">,
  { payload, place }: Occasion,
): boolean {
  const tool = String(payload["tool_name"]);
  const input = payload["tool_input"] as Readonly<Record<string, unknown>>;
  return holds(condition, { tool, input }, place);
}
