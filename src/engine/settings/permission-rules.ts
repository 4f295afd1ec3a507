import { statePath } from "../../files/internal.ts";
import { combine, judge, type Mode } from "../../permissions/internal.ts";
import { absoluteFrom } from "../fire/payload.ts";
import type { EffectiveSettings } from "../live/effective-settings.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Judge } from "../ports.ts";
import { filesOfHooks } from "../trust/files-by-name.ts";
import { compiledRules, type PermissionRules } from "./compiled-rules.ts";

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
        attended: options.interactive,
        envNames: Object.keys(options.env),
        protectedFiles,
        ownFiles,
        // An unknown mode is passed on, so that the judgment reports it. The judgment takes only strings.
        ...(mode === undefined ? {} : { mode: typeof mode === "string" ? (mode as Mode) : "default" }),
      };
    },
  };
  rulesOf.set(now, rules);
  return rules;
}

const rulesOf = new WeakMap<EffectiveSettings, PermissionRules>();

/** Judges what hooks allowed by the rules. It decides whether to ask, not whether there is a user to ask. */
export function judgeBySettings(now: EffectiveSettings, options: ResolvedOptions): Judge {
  const { policy, context } = permissionRules(now, options);
  return (tool, input, payload) => {
    const judgement = judge({ tool, input }, policy, { ...context({ ...payload }), attended: true });
    const { by, decision, reason } = combine({ kind: "allow" }, judgement);
    if (by === "hook" || decision === "allow" || decision === "defer")
      return { decision: "allow", reason, byRule: false };
    const { rule } = judgement;
    const where = rule === null ? "" : ` (${rule.file ?? sourceName(rule.scope)})`;
    return { decision, reason: `${reason}${where}`, byRule: true, ...(rule === null ? {} : { rule: rule.text }) };
  };
}

/** How a reason names rules without a file. Those of the option `settings` may be objects. */
function sourceName(scope: string): string {
  return scope === "settings" ? "option `settings`" : `${scope} settings`;
}
