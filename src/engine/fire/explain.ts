import type { HookRef, Skip, SkipReason, Warning } from "../../protocol/internal.ts";
import type { EffectiveSettings } from "../live/effective-settings.ts";
import { matcherDetail } from "../match/matcher.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import type { TrustState, TrustStatus } from "../trust/trust-state.ts";
import type { FiringEvent } from "./fire.ts";
import type { Selection } from "./select-hooks.ts";

/** One configured hook of an event: it runs, or why not. */
export type Explained =
  | { readonly hook: HookRef; readonly runs: true; readonly detail: string }
  | { readonly hook: HookRef; readonly runs: false; readonly why: SkipReason; readonly detail: string };

/** The result of `engine.explain`: which hooks of an event would run and which would be skipped. */
export interface Explanation {
  readonly event: string;
  /** In configured order; entries that cannot be used come last. */
  readonly hooks: readonly Explained[];
  readonly warnings: readonly Warning[];
}

/** A plan in words. Starts nothing and writes nothing. */
export function explainPlan(event: FiringEvent, plan: Selection): Explanation {
  const { hooks, row, warnings, settings } = event;
  const unusable = settings.unusable.get(row.name) ?? [];
  const skips = new Map(plan.skipped.map((skip) => [skip.hook.id, skip]));
  return {
    event: row.name,
    hooks: [
      ...hooks.map((configured): Explained => {
        const skip = skips.get(configured.ref.id);
        return skip ? skippedHook(skip) : { hook: configured.ref, runs: true, detail: whyItRuns(configured, event) };
      }),
      ...unusable.map(({ skip }) => skippedHook(skip)),
    ],
    warnings: [...warnings, ...[...hooks, ...unusable].flatMap(({ problems }) => problems)],
  };
}

function skippedHook({ hook, why, detail }: Skip): Explained {
  return { hook, runs: false, why, detail };
}

function whyItRuns({ matcher, row, hook, problems }: ConfiguredHook, { matched: value }: FiringEvent): string {
  const matched = row.matchesOn === null ? `every ${row.name}` : matcherDetail(matcher, value);
  const condition = hook.if ? `; if "${hook.if}" holds` : "";
  const failure = problems.some(({ code }) => code === "hook-invalid") ? "; it cannot be used, so it fails" : "";
  return `${matched}${condition}${failure}`;
}

/** A configured hook with its trust and its problems. */
export interface ListedHook {
  readonly hook: HookRef;
  readonly trust: TrustState;
  /** Why it is not trusted. */
  readonly trustDetail?: string;
  readonly if?: string;
  readonly problems: readonly Warning[];
}

export function listHooks(
  hooks: readonly ConfiguredHook[],
  { trust, unusable }: Pick<EffectiveSettings, "trust" | "unusable">,
): readonly ListedHook[] {
  return [
    ...hooks.map((configured) => ({
      hook: configured.ref,
      ...trustOf(trust.ofHook(configured)),
      ...(configured.hook.if ? { if: configured.hook.if } : {}),
      problems: configured.problems,
    })),
    ...[...unusable.values()].flat().map((entry) => ({
      hook: entry.ref,
      ...trustOf(trust.ofHook(entry)),
      problems: entry.problems,
    })),
  ];
}

function trustOf({ state, detail }: TrustStatus): Pick<ListedHook, "trust" | "trustDetail"> {
  return state === "trusted" ? { trust: state } : { trust: state, trustDetail: detail };
}
