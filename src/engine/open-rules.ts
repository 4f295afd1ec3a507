import type { Warning } from "../protocol/index.ts";
import type { EngineOptions } from "./options.ts";
import type { RulesInForce } from "./settings/permission-rules.ts";

/** The permission rules that apply in a folder, trust taken into account, for those who judge calls without an engine. */
export async function openRules(
  options: EngineOptions = {},
): Promise<RulesInForce & { readonly warnings: readonly Warning[] }> {
  const [{ checkOptions }, { openSettings }, { resolveOptions }, { rulesOf }] = await Promise.all([
    import("./check-engine-options.ts"),
    import("./live/reload-settings.ts"),
    import("./resolve-options.ts"),
    import("./settings/permission-rules.ts"),
  ]);
  checkOptions(options);
  const resolved = resolveOptions(options);
  const now = (await openSettings(resolved)).inForce();
  return { ...rulesOf(now, resolved), warnings: now.warnings };
}
