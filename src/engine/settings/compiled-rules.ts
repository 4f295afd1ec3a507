import {
  compileRules,
  type JudgeContext,
  type Policy,
  type RuleLayer,
  ruleLayerOf,
} from "../../permissions/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { AnyPayload } from "../fire/payload.ts";
import type { EffectiveSettings } from "../live/effective-settings.ts";
import type { ResolvedOptions } from "../options.ts";
import { grantsOf, type Trust } from "../trust/trust-state.ts";
import type { Layer } from "./layer.ts";

/** The permission rules of the settings in effect, compiled. */
export interface PermissionRules {
  /** The restrictions of every file, and the grants of files that may grant. */
  readonly layers: readonly RuleLayer[];
  /** The compiled rules, for `judge`. */
  readonly policy: Policy;
  /** The context of a call. The payload of an event may give its folder and mode; `attended` is the option `interactive`. */
  context(payload?: AnyPayload): JudgeContext;
}

/** Reads the rules and what is wrong with them. Judging a call loads the shell analysis; this does not. */
export function compiledRules(
  now: Pick<EffectiveSettings, "layers" | "trust">,
  { toolAliases: aliases }: ResolvedOptions,
): Omit<PermissionRules, "context"> {
  const layers = now.layers.flatMap((layer) => ruleLayers(layer, now.trust));
  return { layers, policy: compileRules(layers, { aliases }) };
}

function ruleLayers(layer: Layer, trust: Trust): readonly RuleLayer[] {
  const trusted = trust.ofKey(layer, "permissions").state === "trusted";
  const rules = ruleLayerOf(layer, trusted);
  if (rules === undefined) return [];
  return trusted ? [rules] : [rules, ...approvedAlone(rules, layer, trust)];
}

/** Grants that the user approved when they were written count on their own, as long as they are in the file. */
function approvedAlone({ scope, file }: RuleLayer, layer: Layer, trust: Trust): readonly RuleLayer[] {
  const { allow, additionalDirectories } = grantsOf(layer, trust.writtenGrants, true);
  if (allow.length + additionalDirectories.length === 0) return [];
  return [{ scope, trusted: true, allow, additionalDirectories, ...defined({ file }) }];
}
