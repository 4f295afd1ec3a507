import { lstatSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { findLeftovers } from "../../exec/internal.ts";
import { isInside, statePath, unsafeReason } from "../../files/internal.ts";
import { attempt, defined, groupBy, type Warning, type WarningCode } from "../../protocol/internal.ts";
import { dropDuplicates } from "../fire/select-hooks.ts";
import { type EffectiveSettings, openSettings, switchedOff } from "../live/effective-settings.ts";
import { type EngineOptions, type ResolvedOptions, resolveOptions } from "../options.ts";
import { hookEnvironment } from "../runners/command/command-env.ts";
import { httpPolicyOf, refusalWithoutLookup } from "../runners/http/destination.ts";
import { claudeCodeWarnings } from "../settings/claude-code-fault.ts";
import { type ConfiguredHook, isGuard } from "../settings/layer.ts";
import { filesOfHooks } from "../trust/files-by-name.ts";
import { trusted } from "../trust/trust-state.ts";
import { type Finding, finding } from "./finding.ts";
import { programFindings } from "./program-findings.ts";

/** Finds problems with the hooks that apply in a directory, errors first. Starts nothing and writes nothing. */
export async function diagnose(options: EngineOptions): Promise<readonly Finding[]> {
  const resolved = resolveOptions(options);
  const settings = (await openSettings(resolved)).current();
  const hooks = [...settings.byEvent.values()].flat();
  const findings = [
    ...[...settings.warnings, ...(await claudeCodeWarnings(resolved))].map(fromWarning),
    ...hooks.flatMap((hook) => commandFindings(hook, settings, resolved)),
    ...(await Promise.all(hooks.map((hook) => urlFindings(hook, settings)))).flat(),
    ...[...settings.byEvent.values()].flatMap(duplicates),
    ...hooks.flatMap((hook) => switchedOffFindings(hook, settings)),
    ...untrusted(hooks, settings),
    ...safetyFindings(hooks, settings, resolved),
    ...(await leftoverFindings(resolved)),
    ...hooks.flatMap(userHookFindings),
  ];
  return (["error", "warning", "note"] as const).flatMap((level) => findings.filter((one) => one.level === level));
}

/** Warnings that mean that a file, an entry or the whole policy has no effect. All other codes are warnings. */
const errors: ReadonlySet<string> = new Set<WarningCode>([
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

function fromWarning({ code, message, place }: Warning): Finding {
  const level = code === "unknown-keys" ? "note" : errors.has(code) ? "error" : "warning";
  return { level, code, message, ...defined({ place }) };
}

function commandFindings(
  configured: ConfiguredHook,
  settings: EffectiveSettings,
  options: ResolvedOptions,
): readonly Finding[] {
  const { hook, ref, layer } = configured;
  if (hook.type !== "command") return [];
  const env = hookEnvironment(configured, { settings, services: { options } });
  return programFindings(hook, { hookId: ref.id, cwd: options.cwd, env, pluginRoot: layer.plugin?.root });
}

async function urlFindings(configured: ConfiguredHook, settings: EffectiveSettings): Promise<readonly Finding[]> {
  const { hook, ref } = configured;
  const refused = hook.type === "http" && (await refusalWithoutLookup(hook.url, httpPolicyOf(configured, settings)));
  return refused
    ? [finding("url-refused", `${ref.name} is never called in Hookline's hosts: ${refused}.`, ref.id)]
    : [];
}

function switchedOffFindings(hook: ConfiguredHook, settings: EffectiveSettings): readonly Finding[] {
  const refusal = switchedOff(hook, settings);
  if (refusal === undefined) return [];
  const { name, id } = hook.ref;
  return [finding("hook-off", `${name} is off in Hookline's hosts: ${refusal.detail}.`, id)];
}

/** Hooks that wait for approval, one finding per effect and reason: after an edit of a hooks file all of its entries wait. */
function untrusted(hooks: readonly ConfiguredHook[], settings: EffectiveSettings): readonly Finding[] {
  const waiting = hooks.flatMap((hook) => {
    const { state, detail } = switchedOff(hook, settings) ? trusted : settings.trust.ofHook(hook);
    const denies = state === "changed" && isGuard(hook);
    return state === "trusted" ? [] : [{ ref: hook.ref, detail, denies }];
  });
  return [...groupBy(waiting, ({ denies }) => denies)].flatMap(([denies, all]) =>
    [...groupBy(all, ({ detail }) => detail)].map(([reason, group]) => {
      const refs = group.map(({ ref }) => ref);
      const events = [...new Set(refs.map(({ event }) => event))].join(", ");
      const isSingle = group.length === 1;
      const subject = isSingle
        ? `${refs[0]?.name} on ${events} ${denies ? "denies" : "does not run"}`
        : `${group.length} hooks on ${events} ${denies ? "deny" : "do not run"}`;
      const why = isSingle ? reason : inPlural(reason);
      const message = `${subject} in Hookline's hosts: ${why}; ${settings.trust.howToApprove}. Claude Code runs ${isSingle ? "it" : "them"} anyway.`;
      return finding("hook-untrusted", message, refs[0]?.id ?? "");
    }),
  );
}

/** The reason for several hooks. */
function inPlural(reason: string): string {
  return reason.replace(/^it differs /, "they differ ");
}

function duplicates(hooks: readonly ConfiguredHook[]): readonly Finding[] {
  return [...groupBy(hooks, ({ matcher }) => matcher.text).values()].flatMap((group) =>
    dropDuplicates(group).skipped.map(({ hook, detail }) =>
      finding("hook-duplicate", `${hook.name} on ${hook.event} is ${detail}; this copy never does.`, hook.id),
    ),
  );
}

/** Files that decide what runs and that other users can change: settings, scripts of hooks, Hookline's state. */
function safetyFindings(
  hooks: readonly ConfiguredHook[],
  { layers }: EffectiveSettings,
  options: ResolvedOptions,
): readonly Finding[] {
  const scripts = filesOfHooks(hooks, options);
  const state = statePath(options);
  const files = [...layers.flatMap(({ file }) => file ?? []), ...scripts, state, `${state}/trust`];
  return [...new Set(files)].flatMap((file) => {
    const why = whyUnsafe(file);
    if (why === undefined) return [];
    const fix = `Allow only yourself to write it (chown, chmod go-w "${file}").`;
    return [finding("file-writable", `${file} decides what runs, but ${why}. ${fix}`, file)];
  });
}

function whyUnsafe(file: string): string | undefined {
  // The code that reads the file reports that it cannot be read.
  const stat = attempt(() => lstatSync(realpathSync(file)));
  return stat && unsafeReason(stat);
}

/** Hooks that run in every folder without approval. The user may not know that a program has added one. */
function userHookFindings({ ref, layer }: ConfiguredHook): readonly Finding[] {
  if (ref.source !== "user" && layer.frontmatter?.from !== "user") return [];
  const on = ref.matcher ? `${ref.event} [${ref.matcher}]` : ref.event;
  return [finding("user-hook", `${ref.name} runs on ${on} in every directory.`, ref.id)];
}

/** Processes that hooks of this user in this folder left behind. Linux only: elsewhere the search would start a program. */
async function leftoverFindings(options: ResolvedOptions): Promise<readonly Finding[]> {
  if (process.platform !== "linux") return [];
  const processes = await findLeftovers("HOOKLINE_RUN", "");
  return processes.flatMap(({ pid, name }) => {
    const folder = folderOf(pid, options);
    if (folder === undefined) return [];
    const message = `Process ${pid} (${name}) was started by a hook in ${folder} and is still running. To end it: kill ${pid}`;
    return [finding("leftover-process", message, String(pid))];
  });
}

/** The folder a process was started for; undefined when it belongs to another folder or home, or has exited. */
function folderOf(pid: number, options: ResolvedOptions): string | undefined {
  // It may have exited in the meantime, belong to another user, or have no usable folder in its environment.
  return attempt(() => {
    const env = processEnvironment(pid);
    if (statePath({ env, home: env["HOME"] ?? "" }) !== statePath(options)) return undefined;
    const folder = env["CLAUDE_PROJECT_DIR"] ?? readlinkSync(`/proc/${pid}/cwd`);
    return isInside(folder, realpathSync(options.cwd)) ? folder : undefined;
  });
}

function processEnvironment(pid: number): Readonly<Record<string, string>> {
  const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(lines.map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]));
}
