import type { RuleWarning } from "../../permissions/internal.ts";
import type { Warning, WarningCode } from "../../protocol/internal.ts";
import { dropDuplicates, switchedOff } from "../fire/admit.ts";
import { openSettings } from "../live/reload-settings.ts";
import { type EngineOptions, type ResolvedOptions, resolveOptions } from "../options.ts";
import { environmentUnder } from "../runners/command/command-env.ts";
import { clientReadWarnings } from "../settings/client-fault.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import { permissionRules } from "../settings/permission-rules.ts";
import type { EffectiveSettings } from "../settings/snapshot.ts";
import { type Finding, finding } from "./finding.ts";
import { programFindings } from "./program-findings.ts";
import { leftoverFindings, safetyFindings, userHookFindings } from "./safety.ts";

/** What is wrong with the hooks that apply in a folder, the worst first. Starts nothing and writes nothing. */
export async function diagnose(options: EngineOptions): Promise<readonly Finding[]> {
  const resolved = resolveOptions(options);
  const now = (await openSettings(resolved)).inForce();
  const found = [
    ...[...now.warnings, ...(await clientReadWarnings(resolved))].map(loading),
    ...permissionRules(now, resolved).policy.warnings.map(ofRules),
    ...programs(now, resolved),
    ...inactiveHookFindings(now),
    ...safetyFindings(now, resolved),
    ...(await leftoverFindings(resolved)),
    ...userHookFindings(now),
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

function programs(now: EffectiveSettings, options: ResolvedOptions): readonly Finding[] {
  return [...now.byEvent.values()].flat().flatMap((configured) => {
    const { hook, ref, layer } = configured;
    if (hook.type !== "command") return [];
    const env = environmentUnder(now, options, configured);
    return programFindings(hook, { id: ref.id, cwd: options.cwd, env, root: layer.plugin?.root });
  });
}

/** Hooks that do not run, or not as they look: switched off, waiting for approval, equal to another. */
function inactiveHookFindings(now: EffectiveSettings): readonly Finding[] {
  const all = [...now.byEvent.values()];
  const isOff = new Map(all.flat().map((hook) => [hook, switchedOff(hook, now)]));
  const waiting = all
    .flat()
    .filter((hook) => isOff.get(hook) === undefined)
    .map((hook) => ({ hook, ...now.trust.ofHook(hook) }))
    .filter(({ state }) => state !== "trusted");
  return [
    ...all.flatMap((hooks) => [
      ...duplicates(hooks),
      ...hooks.flatMap((hook) => {
        const { ref } = hook;
        const refusal = isOff.get(hook);
        if (refusal === undefined) return [];
        return [finding("hook-off", `${ref.name} is off in Hookline's hosts: ${refusal.detail}.`, ref.id)];
      }),
    ]),
    ...untrusted(waiting, now.trust.howToApprove),
  ];
}

interface Waiting {
  readonly hook: ConfiguredHook;
  readonly detail: string;
}

/** One finding per reason, however many hooks wait for it: after an edit of a hooks file all of its entries do. */
function untrusted(waiting: readonly Waiting[], wayOut: string): readonly Finding[] {
  const reasons = [...new Set(waiting.map(({ detail }) => detail))];
  return reasons.flatMap((reason) => {
    const hooks = waiting.filter(({ detail }) => detail === reason).map(({ hook }) => hook);
    const [first] = hooks;
    if (first === undefined) return [];
    const events = [...new Set(hooks.map(({ ref }) => ref.event))].join(", ");
    const [who, runs] =
      hooks.length === 1
        ? [`${first.ref.name} on ${events} does not run`, "runs it"]
        : [`${hooks.length} hooks on ${events} do not run`, "runs them"];
    const message = `${who} in Hookline's hosts: ${reason}; ${wayOut}. Claude Code does not ask for this approval and ${runs}.`;
    return [finding("hook-untrusted", message, first.ref.id)];
  });
}

function duplicates(hooks: readonly ConfiguredHook[]): readonly Finding[] {
  const matchers = new Set(hooks.map(({ matcher }) => matcher.text));
  return [...matchers].flatMap((text) =>
    dropDuplicates(hooks.filter(({ matcher }) => matcher.text === text)).skipped.map(({ hook, detail }) =>
      finding("hook-duplicate", `${hook.name} on ${hook.event} is ${detail}; this copy never does.`, hook.id),
    ),
  );
}
