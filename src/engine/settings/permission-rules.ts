import { statePath } from "../../files/internal.ts";
import {
  combine,
  compileRules,
  type JudgeContext,
  judge,
  type Policy,
  type RuleLayer,
  ruleLayerOf,
} from "../../permissions/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { type AnyPayload, absoluteFrom } from "../fire/payload.ts";
import type { EffectiveSettings } from "../live/effective-settings.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Judge } from "../ports.ts";
import { filesOfHooks } from "../trust/files-by-name.ts";
import type { WrittenGrant } from "../trust/pins.ts";
import type { Trust } from "../trust/trust-state.ts";
import type { Layer } from "./layer.ts";

/** The permission rules of the settings in force, compiled. */
export interface PermissionRules {
  /** The restrictions of every file, and the grants of files that may grant. */
  readonly layers: readonly RuleLayer[];
  readonly policy: Policy;
  /** The context of a call. The payload of an event may give its folder and mode. */
  context(payload?: AnyPayload): JudgeContext;
}

/** Computed once per snapshot. */
export function permissionRules(now: EffectiveSettings, options: ResolvedOptions): PermissionRules {
  const cached = rulesOf.get(now);
  if (cached !== undefined) return cached;
  // Changing a file that an active hook names changes what runs.
  const active = [...now.byEvent.values()].flat().filter((hook) => now.trust.ofHook(hook).state === "trusted");
  const protectedFiles = [...now.layers.flatMap(({ file }) => file ?? []), ...filesOfHooks(active, options)];
  const ownFiles = [statePath(options), options.managedFolder];
  const rules: PermissionRules = {
    ...compiledRules(now, options),
    context(payload = {}) {
      const { permission_mode: mode } = payload;
      const cwd = absoluteFrom(options.cwd, payload["cwd"]);
      return {
        cwd: typeof cwd === "string" ? cwd : options.cwd,
        home: options.home,
        projectRoot: options.cwd,
        envNames: Object.keys(options.env),
        protectedFiles,
        ownFiles,
        ...(typeof mode === "string" ? { mode } : {}),
      };
    },
  };
  rulesOf.set(now, rules);
  return rules;
}

const rulesOf = new WeakMap<EffectiveSettings, PermissionRules>();

/** The rules without the context of calls. */
export function compiledRules(
  now: Pick<EffectiveSettings, "layers" | "trust">,
  { toolAliases: aliases }: ResolvedOptions,
): Pick<PermissionRules, "layers" | "policy"> {
  const layers = now.layers.flatMap((layer) => ruleLayers(layer, now.trust));
  return { layers, policy: compileRules(layers, { aliases }) };
}

/** Judges what hooks allowed by the rules. It decides whether to ask, not whether there is a user to ask. */
export function judgeBySettings(now: EffectiveSettings, options: ResolvedOptions): Judge {
  const { policy, context } = permissionRules(now, options);
  return (tool, input, payload) => {
    const judgement = judge({ tool, input }, policy, context({ ...payload }));
    const { by, decision, reason } = combine({ kind: "allow" }, judgement);
    if (by === "hook" || decision === "allow" || decision === "defer")
      return { decision: "allow", reason, byRule: false };
    const { rule } = judgement;
    const where = rule === null ? "" : ` (${rule.file ?? `${rule.scope} settings`})`;
    return { decision, reason: `${reason}${where}`, byRule: true, ...(rule === null ? {} : { rule: rule.text }) };
  };
}

function ruleLayers(layer: Layer, trust: Trust): readonly RuleLayer[] {
  const trusted = trust.ofKey(layer, "permissions").state === "trusted";
  const rules = ruleLayerOf(layer, trusted);
  if (rules === undefined) return [];
  return trusted ? [rules] : [rules, ...approvedAlone(rules, layer, trust.writtenGrants(layer))];
}

/** Grants that the user approved when they were written count on their own, as long as they are in the file. */
function approvedAlone(
  { scope, file }: RuleLayer,
  { settings }: Layer,
  written: readonly WrittenGrant[],
): readonly RuleLayer[] {
  const present = (list: WrittenGrant["list"]): readonly string[] =>
    (settings.permissions?.[list] ?? []).filter((value) =>
      written.some((grant) => grant.list === list && grant.value === value),
    );
  const [allow, additionalDirectories] = [present("allow"), present("additionalDirectories")];
  if (allow.length + additionalDirectories.length === 0) return [];
  return [{ scope, trusted: true, allow, additionalDirectories, ...defined({ file }) }];
}
