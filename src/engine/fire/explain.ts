import { defined, type HookRef, type Skip, type SkipReason, type Warning } from "../../protocol/internal.ts";
import type { EffectiveSettings } from "../live/effective-settings.ts";
import { matcherDetail } from "../match/matcher.ts";
import { type ConfiguredHook, isGuard } from "../settings/layer.ts";
import type { TrustState } from "../trust/trust-state.ts";
import type { FiringEvent } from "./firing-event.ts";
import type { Selection } from "./select-hooks.ts";

/** One configured hook of an event: it runs, or why not. */
export type Explained =
  /** `denies`: it is not started, and counts as a guard that failed. */
  | { readonly hook: HookRef; readonly runs: true; readonly denies?: true; readonly detail: string }
  | { readonly hook: HookRef; readonly runs: false; readonly why: SkipReason; readonly detail: string };

/** The result of `engine.explain`: which hooks of an event would run and which would be skipped. */
export interface Explanation {
  /** The event's name. */
  readonly event: string;
  /** In configured order; entries that cannot be used come last. */
  readonly hooks: readonly Explained[];
  /** Warnings about the payload and the hooks of the event. */
  readonly warnings: readonly Warning[];
}

/** A plan in words. Starts nothing and writes nothing. */
export function explainPlan(event: FiringEvent, plan: Selection): Explanation {
  const { hooks, row, warnings, settings } = event;
  const unusable = settings.unusable.get(row.name) ?? [];
  const skips = new Map(plan.skipped.map((skip) => [skip.hook.id, skip]));
  const planned = new Map(plan.hooks.map((hook) => [hook.ref.id, hook]));
  return {
    event: row.name,
    hooks: [
      ...hooks.map((configured): Explained => {
        const skip = skips.get(configured.ref.id);
        if (skip !== undefined) return skippedHook(skip);
        const hook = planned.get(configured.ref.id) ?? configured;
        const denies = hook.fails === undefined ? {} : { denies: true as const };
        return { hook: hook.ref, runs: true, ...denies, detail: whyItRuns(hook, event.matched) };
      }),
      ...unusable.map(({ skip }) => skippedHook(skip)),
    ],
    warnings: [...warnings, ...[...hooks, ...unusable].flatMap(({ problems }) => problems)],
  };
}

function skippedHook({ hook, why, detail }: Skip): Explained {
  return { hook, runs: false, why, detail };
}

function whyItRuns({ matcher, row, hook, condition, fails }: ConfiguredHook, value: string | undefined): string {
  const matched = row.matchesOn === null ? `every ${row.name}` : matcherDetail(matcher, value);
  const holds = condition === null ? "" : `; if "${hook.if}" holds`;
  const failure = fails === undefined ? "" : `; it is not started and denies: ${fails}`;
  return `${matched}${holds}${failure}`;
}

/** A configured hook with its trust and its problems. */
export interface ListedHook {
  /** The configured hook. */
  readonly hook: HookRef;
  /** Whether it was approved: `trusted`, `new` or `changed`. */
  readonly trust: TrustState;
  /** Why it is not trusted. */
  readonly trustDetail?: string;
  /** A guard that changed since its approval: it is not started and denies. */
  readonly denies?: true;
  /** Its condition: a permission rule. */
  readonly if?: string;
  /** Warnings about this entry. */
  readonly problems: readonly Warning[];
}

export function listHooks(
  hooks: readonly ConfiguredHook[],
  { trust, unusable }: Pick<EffectiveSettings, "trust" | "unusable">,
): readonly ListedHook[] {
  return [...hooks, ...[...unusable.values()].flat()].map((entry) => {
    const { state, detail } = trust.ofHook(entry);
    const condition = "hook" in entry ? entry.hook.if : undefined;
    return {
      hook: entry.ref,
      trust: state,
      ...defined({ trustDetail: state === "trusted" ? undefined : detail, if: condition || undefined }),
      ...(state === "changed" && "hook" in entry && isGuard(entry) ? { denies: true } : {}),
      problems: entry.problems,
    };
  });
}
