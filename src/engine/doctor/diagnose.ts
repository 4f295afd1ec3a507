import type { RuleWarning } from "../../permissions/internal.ts";
import type { Warning, WarningCode } from "../../protocol/internal.ts";
import { dropDuplicates, switchedOff } from "../fire/admit.ts";
import { openSettings } from "../live/reload-settings.ts";
import { type EngineOptions, type ResolvedOptions, resolveOptions } from "../options.ts";
import { environmentOf } from "../runners/command/command-env.ts";
import { clientReadWarnings } from "../settings/client-fault.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import { permissionRules } from "../settings/permission-rules.ts";
import type { EffectiveSettings } from "../settings/snapshot.ts";
import { type Finding, finding } from "./finding.ts";
import { programFindings } from "./program-findings.ts";
import { leftoverFindings, safetyFindings, userHookFindings } from "./safety.ts";

/** Finds problems with the hooks that apply in a folder, errors first. Starts nothing and writes nothing. */
export async function diagnose(options: EngineOptions): Promise<readonly Finding[]> {
  const resolved = resolveOptions(options);
  const settings = (await openSettings(resolved)).inForce();
  const findings = [
    ...[...settings.warnings, ...(await clientReadWarnings(resolved))].map(fromWarning),
    ...permissionRules(settings, resolved).policy.warnings.map(fromWarning),
    ...commandFindings(settings, resolved),
    ...inactiveHookFindings(settings),
    ...safetyFindings(settings, resolved),
    ...(await leftoverFindings(resolved)),
    ...userHookFindings(settings),
  ];
  return (["error", "warning", "note"] as const).flatMap((level) => findings.filter((one) => one.level === level));
}

/** Warnings that mean that a file, an entry or the whole policy has no effect. All others are warnings here too. */
const errors: ReadonlySet<string> = new Set<WarningCode | RuleWarning["code"]>([
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
  "rule-invalid",
]);

function fromWarning({ code, message, place }: Warning | RuleWarning): Finding {
  return { level: errors.has(code) ? "error" : "warning", code, message, ...(place === undefined ? {} : { place }) };
}

function commandFindings(settings: EffectiveSettings, options: ResolvedOptions): readonly Finding[] {
  return [...settings.byEvent.values()].flat().flatMap((configured) => {
    const { hook, ref, layer } = configured;
    if (hook.type !== "command") return [];
    const env = environmentOf(configured, { settings, services: { options } });
    return programFindings(hook, { hookId: ref.id, cwd: options.cwd, env, pluginRoot: layer.plugin?.root });
  });
}

/** Hooks that do not run: switched off, waiting for approval, or equal to another hook. */
function inactiveHookFindings(settings: EffectiveSettings): readonly Finding[] {
  const hooksByEvent = [...settings.byEvent.values()];
  const refusals = new Map(hooksByEvent.flat().map((hook) => [hook, switchedOff(hook, settings)]));
  const waiting = hooksByEvent
    .flat()
    .filter((hook) => refusals.get(hook) === undefined)
    .map((hook) => ({ hook, ...settings.trust.ofHook(hook) }))
    .filter(({ state }) => state !== "trusted");
  return [
    ...hooksByEvent.flatMap((hooks) => [
      ...duplicates(hooks),
      ...hooks.flatMap((hook) => {
        const refusal = refusals.get(hook);
        if (refusal === undefined) return [];
        const { name, id } = hook.ref;
        return [finding("hook-off", `${name} is off in Hookline's hosts: ${refusal.detail}.`, id)];
      }),
    ]),
    ...untrusted(waiting, settings.trust.howToApprove),
  ];
}

interface WaitingHook {
  readonly hook: ConfiguredHook;
  readonly detail: string;
}

/** One finding per reason for any number of hooks: after an edit of a hooks file all of its entries wait. */
function untrusted(waiting: readonly WaitingHook[], howToApprove: string): readonly Finding[] {
  return [...new Set(waiting.map(({ detail }) => detail))].flatMap((reason) => {
    const group = waiting.filter(({ detail }) => detail === reason);
    const [first] = group;
    if (first === undefined) return [];
    const { name, id } = first.hook.ref;
    const events = [...new Set(group.map(({ hook }) => hook.ref.event))].join(", ");
    const isSingle = group.length === 1;
    const subject = isSingle ? `${name} on ${events} does not run` : `${group.length} hooks on ${events} do not run`;
    const client = `Claude Code does not ask for this approval and runs ${isSingle ? "it" : "them"}.`;
    return [finding("hook-untrusted", `${subject} in Hookline's hosts: ${reason}; ${howToApprove}. ${client}`, id)];
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
