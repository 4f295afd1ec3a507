import { defined, type Skip, type Warning } from "../../protocol/internal.ts";
import { loadConditionCompiler } from "../match/conditions.ts";
import type { ResolvedOptions } from "../options.ts";
import { type ConfiguredHook, checkoutEnv, isOfCheckout, type Layer } from "../settings/layer.ts";
import { loadLayers, settingsPaths } from "../settings/load-layers.ts";
import { type StatusLineSource, statusLineOf } from "../settings/merge-layers.ts";
import { type Snapshot, takeSnapshot } from "../settings/snapshot.ts";
import { checkoutAt, onPinsChanged, pinFilesOf, pinMarks } from "../trust/pin-store.ts";
import { nothingToApprove, type Trust, type TrustedKey, trustEverything } from "../trust/trust-state.ts";
import { confirmChanges, type RefusedChange, type ReloadCallbacks } from "./confirm-changes.ts";
import { watchFiles } from "./watch-files.ts";

/** The result of a reload. */
export interface ReloadReport {
  readonly changed: boolean;
  readonly fingerprint: string;
  /** Changed files that a hook refused. Their old content stays active. */
  readonly refused: readonly RefusedChange[];
  readonly warnings: readonly Warning[];
}

/** The settings in effect. A reload replaces them as a whole. */
export async function openSettings(options: ResolvedOptions) {
  /** The state of the pin files when they were last read. */
  let pinsRead = "";
  let snapshot = await snapshotOf(await loadLayers(options));
  let settings = await withTrust(snapshot);
  const stopFunctions = new Set<() => void>();
  let queue: Promise<unknown> = Promise.resolve();

  async function snapshotOf(layers: readonly Layer[]): Promise<Snapshot> {
    const compiler = layers.some(hasCondition) ? { compileCondition: await loadConditionCompiler() } : {};
    const { rows, toolAliases: aliases, startedAs, ports } = options;
    const wakes = ports.wake !== undefined;
    return takeSnapshot(layers, { rows, aliases, wakes, ...defined({ startedAs }), ...compiler });
  }

  async function withTrust(base: Snapshot): Promise<EffectiveSettings> {
    const trusted = await applyTrust(base, options);
    pinsRead = trusted.trust.depends ? pinMarks(trusted.trust.files) : "";
    return trusted;
  }

  /** Applies the current approvals to the same snapshot. If a reload finishes in the meantime, its result is newer and stays. */
  async function readPins(): Promise<void> {
    const before = settings;
    // Taken before reading, so that a change during the reading is noticed the next time.
    const marks = pinMarks(before.trust.files);
    const refreshed = await withTrust(snapshot);
    pinsRead = marks;
    if (settings === before) settings = refreshed;
  }

  /**
   * Reads all files again. Hooks of the old snapshot can refuse each changed layer. One at a time, so that hooks are not asked twice
   * about the same change.
   */
  function reload(callbacks: ReloadCallbacks): Promise<ReloadReport> {
    const result = queue.then(() => readFiles(callbacks));
    queue = result.catch(() => undefined);
    return result;
  }

  async function readFiles(callbacks: ReloadCallbacks): Promise<ReloadReport> {
    const fresh = await loadLayers(options, settings.layers);
    const { layers, refused } = await confirmChanges(fresh, settings.layers, callbacks);
    const before = settings.fingerprint;
    const next = await snapshotOf(layers);
    settings = await withTrust(next);
    snapshot = next;
    const { fingerprint, warnings } = settings;
    const changed = fingerprint !== before;
    if (changed) callbacks.notify({ kind: "snapshot-changed", fingerprint, warnings });
    return { changed, fingerprint, refused, warnings };
  }

  return {
    current: (): EffectiveSettings => settings,
    /** The same as the files contain it, without guards that only an approval contains. */
    asWritten: (): Snapshot => snapshot,
    reload,
    /** Reloads when a file changes, until the returned function is called. */
    watch(callbacks: ReloadCallbacks): () => void {
      const { files, folders } = settingsPaths(options);
      // A plugin's manifest may name further files.
      const pluginFiles = settings.layers.flatMap(({ kind, file }) =>
        kind === "plugin" && file !== undefined ? [file] : [],
      );
      const onFailure = (error: unknown): void => {
        const message = `Reloading settings failed. The old settings stay active: ${String(error)}`;
        callbacks.warn({ code: "settings-kept", message });
      };
      const stop = watchFiles(
        { files: [...new Set([...files, ...pluginFiles, ...settings.trust.files])], folders },
        () => void reload(callbacks).catch(onFailure),
      );
      stopFunctions.add(stop);
      return () => {
        stopFunctions.delete(stop);
        stop();
      };
    },
    /** Applies approvals and revocations of this process as soon as they are made. */
    followTrust(): void {
      stopFunctions.add(onPinsChanged(settings.trust.files, readPins));
    },
    /** Reads the approvals again if another process changed them; undefined when none did. Called before every event. */
    refreshTrust(): Promise<void> | undefined {
      const { depends, files } = settings.trust;
      return depends && pinMarks(files) !== pinsRead ? readPins() : undefined;
    },
    close(): void {
      for (const stop of stopFunctions) stop();
    },
  };
}

function hasCondition({ settings, unusable = [] }: Layer): boolean {
  if (unusable.some(({ entry }) => entry["if"])) return true;
  return Object.values(settings.hooks ?? {}).some((groups) =>
    groups.some(({ hooks }) => hooks.some((hook) => hook.if)),
  );
}

/** A snapshot with the trust in its layers, and the settings that depend on this trust. */
export interface EffectiveSettings extends Snapshot {
  readonly trust: Trust;
  /** Variables for the checkout's own hooks and for tools, of files whose `env` is trusted. */
  readonly checkoutEnv: Readonly<Record<string, string>>;
  /** A file of the checkout whose `disableAllHooks` affects hooks of other layers. */
  readonly disabling?: Layer;
  /** The status line of the first layer that may have one. */
  readonly statusLine?: StatusLineSource | undefined;
}

async function applyTrust(snapshot: Snapshot, options: ResolvedOptions): Promise<EffectiveSettings> {
  const trust = await trustFor(snapshot, options);
  const { layers } = snapshot;
  const trusting = (key: TrustedKey): readonly Layer[] =>
    layers.filter((layer) => trust.ofKey(layer, key).state === "trusted");
  const disabling = trusting("disableAllHooks").find(
    ({ kind, settings }) => (kind === "project" || kind === "local") && settings.disableAllHooks === true,
  );
  return Object.freeze({
    ...snapshot,
    ...(trust.approvedInstead.size === 0
      ? {}
      : await (await import("./approved-guards.ts")).withApprovedGuards(snapshot, trust, options)),
    warnings: [...snapshot.warnings, ...trust.warnings, ...(await ruleWarnings(layers, trust, options))],
    trust,
    checkoutEnv: checkoutEnv(trusting("env")).env,
    ...(disabling === undefined ? {} : { disabling }),
    statusLine: statusLineOf(trusting("statusLine")),
  });
}

/** What is wrong with permission rules. The code that reads them is loaded only if there are any. */
async function ruleWarnings(
  layers: readonly Layer[],
  trust: Trust,
  options: ResolvedOptions,
): Promise<readonly Warning[]> {
  if (layers.every(({ settings: { permissions = {} } }) => Object.keys(permissions).length === 0)) return [];
  const { compiledRules } = await import("../settings/compiled-rules.ts");
  return compiledRules({ layers, trust }, options).policy.warnings;
}

/** The trust in effect for a snapshot. The code that compares files with approvals is loaded only if there is something to approve. */
async function trustFor(snapshot: Snapshot, options: ResolvedOptions): Promise<Trust> {
  if (options.trust === "implicit") return trustEverything;
  if (options.trust === "pinned" && !snapshot.layers.some(isOfCheckout)) {
    const { real } = await checkoutAt(options);
    return nothingToApprove(pinFilesOf([real], options));
  }
  const { pinnedTrust, workspaceTrust } = await import("../trust/trust-by-pins.ts");
  return options.trust === "workspace" ? workspaceTrust(options) : pinnedTrust(snapshot, options);
}

/** Entries that cannot be used count as skipped, whatever their matcher: their author believes that they run. */
export function withUnusable(
  skipped: readonly Skip[],
  { unusable }: EffectiveSettings,
  event: string,
): readonly Skip[] {
  const entries = unusable.get(event);
  return entries === undefined ? skipped : [...skipped, ...entries.map(({ skip }) => skip)];
}

/** Keys that switch hooks off, in any file. */
export function switchedOff(hook: ConfiguredHook, settings: EffectiveSettings): Omit<Skip, "hook"> | undefined {
  const { managedOnly, pluginsOnly } = settings.merged;
  const managed = hook.layer.kind === "managed" || (hook.hook.type === "callback" && hook.hook.managed === true);
  const disabling = disabledBy(hook.layer, managed, settings);
  if (disabling) return { why: "disabled", detail: `disableAllHooks in ${nameOf(disabling)}` };
  if (managedOnly && !managed) return { why: "policy", detail: `allowManagedHooksOnly in ${nameOf(managedOnly)}` };
  if (pluginsOnly?.locked.includes(hook.layer.kind)) {
    return { why: "policy", detail: `strictPluginOnlyCustomization in ${nameOf(pluginsOnly.layer)}` };
  }
  return undefined;
}

/** The file whose `disableAllHooks` applies to the commands of a layer. A checkout may always switch off what it brought itself. */
export function disabledBy(layer: Layer, managed: boolean, settings: EffectiveSettings): Layer | undefined {
  const { disabled } = settings.merged;
  if (managed) return disabled.everything;
  return disabled.everything ?? disabled.unmanaged ?? (isOfCheckout(layer) ? disabled.checkout : settings.disabling);
}

function nameOf({ file, kind }: Layer): string {
  return file ?? `${kind} settings`;
}
