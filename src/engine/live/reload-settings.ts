import { layerKinds, type Outcome, type Warning } from "../../protocol/internal.ts";
import type { AnyPayload } from "../fire/payload.ts";
import { loadConditionReader } from "../match/conditions.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Notice } from "../ports.ts";
import type { Layer } from "../settings/layer.ts";
import { loadLayers, settingsPaths } from "../settings/load-layers.ts";
import { applyTrust, type EffectiveSettings, type Snapshot, takeSnapshot } from "../settings/snapshot.ts";
import { onPinsChanged, pinMarks } from "../trust/pin-store.ts";
import { watchFiles } from "./watch-files.ts";

/** The result of a reload. */
export interface ReloadReport {
  readonly changed: boolean;
  readonly fingerprint: string;
  /** Changed files that a hook refused. Their old content stays active. */
  readonly refused: readonly RefusedChange[];
  readonly warnings: readonly Warning[];
}

/** The settings in force. A reload replaces them as a whole. */
export async function openSettings(options: ResolvedOptions) {
  /** The state of the pin files when they were last read. */
  let pinsRead = "";
  let snapshot = await snapshotOf(await loadLayers(options, { rows: options.rows }));
  let settings = await withTrust(snapshot);
  const stopFunctions = new Set<() => void>();
  let queue: Promise<unknown> = Promise.resolve();

  async function snapshotOf(layers: readonly Layer[]): Promise<Snapshot> {
    const compiler = layers.some(hasCondition) ? { compileCondition: await loadConditionReader() } : {};
    const { rows, toolAliases: aliases, startedAs } = options;
    return takeSnapshot(layers, { rows, aliases, ...(startedAs === undefined ? {} : { startedAs }), ...compiler });
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
    const fresh = await loadLayers(options, { rows: options.rows, previous: settings.layers });
    const { layers, refused } = await confirmChanges(fresh, settings.layers, callbacks);
    const before = settings.fingerprint;
    const next = await snapshotOf(layers);
    settings = await withTrust(next);
    snapshot = next;
    const { fingerprint, warnings } = settings;
    const changed = fingerprint !== before;
    if (changed) callbacks.notify({ kind: "snapshot-changed", fingerprint });
    return { changed, fingerprint, refused, warnings };
  }

  return {
    inForce: (): EffectiveSettings => settings,
    reload,
    /** Reloads when a file changes, until the returned function is called. */
    watch(callbacks: ReloadCallbacks): () => void {
      const { files, folders } = settingsPaths(options);
      // A plugin's manifest may name further files.
      const pluginFiles = settings.layers.flatMap(({ kind, file }) =>
        kind === "plugin" && file !== undefined ? [file] : [],
      );
      const stop = watchFiles(
        { files: [...new Set([...files, ...pluginFiles, ...settings.trust.files])], folders },
        () => void reload(callbacks).catch((error) => callbacks.warn(reloadFailed(error))),
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

function hasCondition({ settings }: Layer): boolean {
  return Object.values(settings.hooks ?? {}).some((groups) =>
    groups.some(({ hooks }) => hooks.some((hook) => hook.if)),
  );
}

function reloadFailed(error: unknown): Warning {
  return {
    code: "settings-kept",
    message: `Reloading settings failed. The old settings stay active: ${String(error)}`,
  };
}

interface ReloadCallbacks {
  fire(event: string, payload: AnyPayload): Promise<Outcome>;
  notify(notice: Notice): void;
  warn(warning: Warning): void;
  /** Hashes of file contents that the host itself has written. Hooks are not asked about them. */
  readonly written?: ReadonlySet<string>;
}

/** A changed file whose old content stays active because a hook refused the change. */
export interface RefusedChange {
  readonly file: string;
  readonly reason: string;
}

/** The `source` of a ConfigChange event. A kind that is not listed fires none. */
const changeSources: Readonly<Partial<Record<Layer["kind"], string>>> = {
  managed: "policy_settings",
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
  skill: "skills",
};

/** The new layers. Where a hook refuses the change of a layer, the old one takes its place. */
async function confirmChanges(
  fresh: readonly Layer[],
  old: readonly Layer[],
  { fire, notify, written }: ReloadCallbacks,
): Promise<{ layers: readonly Layer[]; refused: readonly RefusedChange[] }> {
  const layers: Layer[] = [];
  const refused: RefusedChange[] = [];
  for (const { layer, before, after } of pairLayers(fresh, old)) {
    const { kind, file = "" } = layer;
    const source = changeSources[kind];
    const isOurs = after !== undefined && written?.has(after.contentHash) === true;
    const isChanged = before?.contentHash !== after?.contentHash && !isOurs;
    const outcome =
      isChanged && source !== undefined ? await fire("ConfigChange", { source, file_path: file }) : undefined;
    const isRefused = outcome?.blocked === true;
    if (isRefused) {
      const reason = outcome.reason ?? "a hook refused the change";
      refused.push({ file, reason });
      notify({ kind: "change-refused", file, reason });
    }
    const active = isRefused ? before : after;
    if (active !== undefined) layers.push(active);
  }
  // A kept layer whose file was removed is at the end of the list.
  layers.sort((a, b) => layerKinds.indexOf(a.kind) - layerKinds.indexOf(b.kind));
  return { layers, refused };
}

/** Each layer of either list, with its counterpart in the other. */
function pairLayers(fresh: readonly Layer[], old: readonly Layer[]) {
  const removed = old.filter((before) => !fresh.some((after) => isSameLayer(before, after)));
  return [
    ...fresh.map((after) => ({ layer: after, before: old.find((before) => isSameLayer(before, after)), after })),
    ...removed.map((before) => ({ layer: before, before, after: undefined })),
  ];
}

function isSameLayer(a: Layer, b: Layer): boolean {
  return a.kind === b.kind && a.file === b.file;
}
