import type { HookRef, Warning } from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import type { TrustState } from "./gates.ts";

/** A configured hook with where it stands and what is wrong with it. */
export interface ListedHook {
  readonly hook: HookRef;
  readonly trust: TrustState;
  readonly if?: string;
  readonly problems: readonly Warning[];
}

export function listHooks(
  hooks: readonly ConfiguredHook[],
  trustOf: (hook: ConfiguredHook) => TrustState,
): readonly ListedHook[] {
  return hooks.map((configured) => ({
    hook: configured.ref,
    trust: trustOf(configured),
    ...(configured.hook.if ? { if: configured.hook.if } : {}),
    problems: configured.problems,
  }));
}
