import type { RuleWarning } from "../../permissions/index.ts";
import type { Warning, WarningCode } from "../../protocol/index.ts";
import { openSettings } from "../live/reload-settings.ts";
import type { EngineOptions } from "../options.ts";
import { type ResolvedOptions, resolveOptions } from "../resolve-options.ts";
import { environmentUnder } from "../runners/command/command-env.ts";
import { clientReadWarnings } from "../settings/client-readable.ts";
import type { InForce } from "../settings/in-force.ts";
import { rulesOf } from "../settings/permission-rules.ts";
import type { Finding } from "./finding.ts";
import { programFindings } from "./program-findings.ts";
import { leftoverFindings, ownHookFindings, safetyFindings } from "./safety.ts";
import { standingFindings } from "./standing.ts";

/** What is wrong with the hooks that apply in a folder, the worst first. Starts nothing and writes nothing. */
export async function diagnose(options: EngineOptions): Promise<readonly Finding[]> {
  const resolved = resolveOptions(options);
  const now = (await openSettings(resolved)).inForce();
  const found = [
    ...[...now.warnings, ...(await clientReadWarnings(resolved))].map(loading),
    ...rulesOf(now, resolved).policy.warnings.map(ofRules),
    ...programs(now, resolved),
    ...standingFindings(now),
    ...safetyFindings(now, resolved),
    ...(await leftoverFindings(resolved)),
    ...ownHookFindings(now),
  ];
  return (["error", "warning", "note"] as const).flatMap((level) => found.filter((one) => one.level === level));
}

/** What makes a file, an entry or all of policy useless; everything else that loading tells is a warning. */
const errors: ReadonlySet<WarningCode> = new Set([
  "settings-unreadable",
  "client-cannot-read",
  "settings-invalid",
  "hook-invalid",
  "unknown-event",
  "matcher-invalid",
  "matcher-unsafe",
  "matcher-is-rule",
  "if-invalid",
  "type-unsupported",
  "managed-unreadable",
  "trust-store-refused",
]);

function loading({ code, message, place }: Warning): Finding {
  return { level: errors.has(code) ? "error" : "warning", code, message, ...(place === undefined ? {} : { place }) };
}

function ofRules({ code, message, place }: RuleWarning): Finding {
  return {
    level: code === "rule-invalid" ? "error" : "warning",
    code,
    message,
    ...(place === undefined ? {} : { place }),
  };
}

function programs(now: InForce, options: ResolvedOptions): readonly Finding[] {
  return [...now.byEvent.values()].flat().flatMap((configured) => {
    const { hook, ref, layer } = configured;
    if (hook.type !== "command") return [];
    const env = environmentUnder(now, options, configured);
    return programFindings(hook, { id: ref.id, cwd: options.cwd, env, root: layer.plugin?.root });
  });
}
