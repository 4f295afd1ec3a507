import { defined, type EventRow } from "../../protocol/internal.ts";
import { loadConditionCompiler } from "../match/conditions.ts";
import type { ResolvedOptions } from "../options.ts";
import { hookFault } from "../settings/check-fields.ts";
import { configureGroup } from "../settings/configure-hooks.ts";
import { type ConfiguredHook, isGuard, type UnusableHook } from "../settings/layer.ts";
import type { Snapshot } from "../settings/snapshot.ts";
import type { ApprovedHook } from "../trust/pins.ts";
import type { Trust } from "../trust/trust-state.ts";

/**
 * Puts every approved guard back in whose place there is another hook now. It fails: what was approved decides what it matches, and the
 * new hook counts after its own approval only. A guard that was deleted without a replacement stays deleted.
 */
export async function withApprovedGuards(
  { byEvent, unusable }: Snapshot,
  { approvedInstead, howToApprove }: Trust,
  { rows, toolAliases: aliases, ports }: ResolvedOptions,
): Promise<Pick<Snapshot, "byEvent" | "unusable">> {
  const compileCondition = await loadConditionCompiler();

  function guardsBefore(now: ConfiguredHook | UnusableHook, row: EventRow): readonly ConfiguredHook[] {
    const place = {
      layer: now.layer,
      row,
      group: 0,
      order: 0,
      aliases,
      wakes: ports.wake !== undefined,
      compileCondition,
    };
    const configured = (approvedInstead.get(now.ref.id) ?? []).flatMap((pin) => {
      const { matcher, onFailure, hook }: ApprovedHook = JSON.parse(pin.definition);
      return hookFault(hook) === undefined ? configureGroup({ matcher, hooks: [hook] }, { ...place, onFailure }) : [];
    });
    // An entry that cannot be used cannot be approved either.
    const remedy = "skip" in now ? "fix the entry or delete it" : howToApprove;
    const fails = `it differs from the approved definition; ${remedy}`;
    const { order, group, writtenFor } = "hook" in now ? now : {};
    const kept = defined({ order, group, writtenFor });
    return configured
      .filter(isGuard)
      .map((guard) => ({ ...guard, ...kept, ref: now.ref, problems: now.problems, fails }));
  }

  const guards = new Map<string, readonly ConfiguredHook[]>();
  for (const [event, hooks] of byEvent) {
    const now = hooks.flatMap((hook) => {
      const before = guardsBefore(hook, hook.row);
      return before.length > 0 ? before : [hook];
    });
    guards.set(event, now);
  }
  const left = new Map(unusable);
  for (const [event, entries] of unusable) {
    const row = rows[event];
    const before = row === undefined ? [] : entries.flatMap((entry) => guardsBefore(entry, row));
    if (before.length === 0) continue;
    guards.set(event, [...(guards.get(event) ?? []), ...before]);
    const isBack = ({ ref }: UnusableHook) => before.some((guard) => guard.ref.id === ref.id);
    left.set(
      event,
      entries.filter((entry) => !isBack(entry)),
    );
  }
  return { byEvent: guards, unusable: left };
}
