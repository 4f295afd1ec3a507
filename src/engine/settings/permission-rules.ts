import { statSync } from "node:fs";
import { resolve } from "node:path";
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
import { type AnyPayload, absoluteFrom } from "../fire/payload.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Judge } from "../ports.ts";
import { namedPaths } from "../trust/files-by-name.ts";
import type { WrittenGrant } from "../trust/pins.ts";
import type { ConfiguredHook, Layer } from "./layer.ts";
import type { EffectiveSettings } from "./snapshot.ts";

/** The permission rules of the settings in force, ready to judge with. */
export interface PermissionRules {
  /** What restricts, of every file; what grants, of those that may. */
  readonly layers: readonly RuleLayer[];
  readonly policy: Policy;
  /** Where and when a call is made; of an event's payload, its folder and mode. */
  context(payload?: AnyPayload): JudgeContext;
}

/** Worked out once per snapshot. */
export function permissionRules(now: EffectiveSettings, options: ResolvedOptions): PermissionRules {
  const known = worked.get(now);
  if (known !== undefined) return known;
  const layers = now.layers.flatMap((layer) => ruleLayers(layer, now));
  const protectedFiles = [...now.layers.flatMap(({ file }) => file ?? []), ...filesOfHooks(now, options)];
  const ownFiles = [statePath(options), options.managedFolder];
  const rules: PermissionRules = {
    layers,
    policy: compileRules(layers, { aliases: options.toolAliases }),
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
  worked.set(now, rules);
  return rules;
}

const worked = new WeakMap<EffectiveSettings, PermissionRules>();

/** Rules as the judge of what hooks allowed: whether to ask is decided here, whether somebody is there to be asked is not. */
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

function ruleLayers(layer: Layer, { trust }: EffectiveSettings): readonly RuleLayer[] {
  const trusted = trust.ofKey(layer, "permissions").state === "trusted";
  const rules = ruleLayerOf(layer, trusted);
  if (rules === undefined) return [];
  return trusted ? [rules] : [rules, ...approvedAlone(rules, layer, trust.writtenGrants(layer))];
}

/** Grants that a user had written count on their own, as long as they are still in the file. */
function approvedAlone(
  { scope, file }: RuleLayer,
  { settings }: Layer,
  written: readonly WrittenGrant[],
): readonly RuleLayer[] {
  const standing = (list: WrittenGrant["list"]): readonly string[] =>
    (settings.permissions?.[list] ?? []).filter((value) =>
      written.some((grant) => grant.list === list && grant.value === value),
    );
  const [allow, additionalDirectories] = [standing("allow"), standing("additionalDirectories")];
  if (allow.length + additionalDirectories.length === 0) return [];
  return [{ scope, trusted: true, allow, additionalDirectories, ...(file === undefined ? {} : { file }) }];
}

/** The files that active hooks name: changing them changes what runs. */
function filesOfHooks({ byEvent, trust }: EffectiveSettings, { cwd, home }: ResolvedOptions): readonly string[] {
  const commands = [...byEvent.values()].flat().filter((hook) => trust.ofHook(hook).state === "trusted");
  const paths = commands.flatMap((hook) => pathsOf(hook, cwd, home).map((path) => resolve(cwd, path)));
  return [...new Set(paths)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

function pathsOf({ hook, layer }: ConfiguredHook, cwd: string, home: string): readonly string[] {
  if (hook.type !== "command") return [];
  const { command, args } = hook;
  return namedPaths({ command, args, root: layer.plugin?.root }, { cwd, real: cwd, home }) ?? [];
}
