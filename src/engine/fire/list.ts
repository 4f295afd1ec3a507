import type { HookRef, Warning } from "../../protocol/index.ts";
import type { ConfiguredHook } from "../settings/configured.ts";
import type { Standing, Trust, TrustState } from "../trust/trust-state.ts";

/** A configured hook with where it stands and what is wrong with it. */
export interface ListedHook {
  readonly hook: HookRef;
  readonly trust: TrustState;
  /** Why it is not trusted. */
  readonly trustDetail?: string;
  readonly if?: string;
  readonly problems: readonly Warning[];
}

export function listHooks(hooks: readonly ConfiguredHook[], trust: Trust): readonly ListedHook[] {
  return hooks.map((configured) => ({
    hook: configured.ref,
    ...standing(trust.ofHook(configured)),
    ...(configured.hook.if ? { if: configured.hook.if } : {}),
    problems: configured.problems,
  }));
}

function standing({ state, detail }: Standing): Pick<ListedHook, "trust" | "trustDetail"> {
  return state === "trusted" ? { trust: state } : { trust: state, trustDetail: detail };
}
