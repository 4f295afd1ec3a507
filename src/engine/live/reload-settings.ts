import { layerKinds, type Outcome, type Warning } from "../../protocol/internal.ts";
import type { AnyPayload } from "../fire/payload.ts";
import { loadConditionReader } from "../match/conditions.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Notice } from "../ports.ts";
import type { Layer } from "../settings/layer.ts";
import type { EffectiveSettings, Snapshot } from "../settings/snapshot.ts";
import { onPinsChanged, pinMarks } from "../trust/pin-store.ts";
import { watchFiles } from "./watch-files.ts";

/** Settings in force, replaced as a whole when they are read again. */
export interface LiveSettings {
  inForce(): EffectiveSettings;
  /** Reads everything afresh; hooks of the old snapshot are asked about each changed layer first. */
  reload(asking: ReloadCallbacks): Promise<ReloadReport>;
  watch(asking: ReloadCallbacks): () => void;
  /** Goes by approvals and revocations as soon as they are made: those of this process at once, those of others before the next event. */
  followTrust(): void;
  /** Reads approvals again if another process changed them; undefined when none did. */
  trustAgain(): Promise<void> | undefined;
  close(): void;
}

/** What a reload changed. */
export interface ReloadReport {
  readonly changed: boolean;
  readonly fingerprint: string;
  /** Files whose change a hook refused; their old content stays in force. */
  readonly refused: readonly RefusedChange[];
  readonly warnings: readonly Warning[];
}

export async function openSettings(options: ResolvedOptions): Promise<LiveSettings> {
  // Loaded when an engine is opened, so that importing the entry point stays cheap.
  const [{ loadLayers, settingsPaths }, { takeSnapshot }, { applyTrust }] = await Promise.all([
    import("../settings/load-layers.ts"),
    import("../settings/snapshot.ts"),
    import("../settings/snapshot.ts"),
  ]);
  const bases = new WeakMap<EffectiveSettings, Snapshot>();
  let pinsSeen = "";
  let snapshot = await shot(await loadLayers(options, { rows: options.rows }));
  const watchers = new Set<() => void>();
  let turn: Promise<unknown> = Promise.resolve();

  async function readAgain(asking: ReloadCallbacks): Promise<ReloadReport> {
    const fresh = await loadLayers(options, { rows: options.rows, previous: snapshot.layers });
    const { layers, refused } = await confirmChanges(fresh, snapshot.layers, asking);
    const before = snapshot.fingerprint;
    snapshot = await shot(layers);
    const changed = snapshot.fingerprint !== before;
    if (changed) asking.tell({ kind: "snapshot-changed", fingerprint: snapshot.fingerprint });
    return { changed, fingerprint: snapshot.fingerprint, refused, warnings: snapshot.warnings };
  }

  async function shot(layers: readonly Layer[]): Promise<EffectiveSettings> {
    const reader = layers.some(hasCondition) ? { compileCondition: await loadConditionReader() } : {};
    const { rows, toolAliases: aliases, startedAs } = options;
    const as = startedAs === undefined ? {} : { startedAs };
    const snapshot = takeSnapshot(layers, { rows, aliases, ...as, ...reader });
    return inForceNow(snapshot);
  }

  async function inForceNow(base: Snapshot): Promise<EffectiveSettings> {
    const now = await applyTrust(base, options);
    bases.set(now, base);
    pinsSeen = now.trust.depends ? pinMarks(now.trust.files) : "";
    return now;
  }

  /** The same settings by the approvals of now. A reload that comes in between has read newer ones. */
  async function readTrustAgain(): Promise<void> {
    const before = snapshot;
    const base = bases.get(before);
    if (base === undefined) return;
    // Taken first: what changes while it is read shows as a change the next time.
    const marks = pinMarks(before.trust.files);
    const now = await inForceNow(base);
    pinsSeen = marks;
    if (snapshot === before) snapshot = now;
  }

  /** One at a time: two reloads must not both ask about the same change. */
  function reload(asking: ReloadCallbacks): Promise<ReloadReport> {
    const next = turn.then(() => readAgain(asking));
    turn = next.catch(() => undefined);
    return next;
  }

  return {
    inForce: () => snapshot,
    reload,
    watch(asking) {
      const { files, folders } = settingsPaths(options);
      // A plugin's manifest may name further files.
      const named = snapshot.layers.flatMap(({ kind, file }) =>
        kind === "plugin" && file !== undefined ? [file] : [],
      );
      const stop = watchFiles(
        { files: [...new Set([...files, ...named, ...snapshot.trust.files])], folders },
        () => void reload(asking).catch((error) => asking.warn(unwatchable(error))),
      );
      watchers.add(stop);
      return () => {
        watchers.delete(stop);
        stop();
      };
    },
    followTrust() {
      watchers.add(onPinsChanged(snapshot.trust.files, readTrustAgain));
    },
    trustAgain() {
      const { depends, files } = snapshot.trust;
      return depends && pinMarks(files) !== pinsSeen ? readTrustAgain() : undefined;
    },
    close() {
      for (const stop of watchers) stop();
    },
  };
}

function hasCondition({ settings }: Layer): boolean {
  return Object.values(settings.hooks ?? {}).some((groups) =>
    groups.some(({ hooks }) => hooks.some((hook) => hook.if)),
  );
}

function unwatchable(error: unknown): Warning {
  return { code: "settings-kept", message: `Settings could not be read again and stay as they were: ${String(error)}` };
}

interface ReloadCallbacks {
  fire(event: string, payload: AnyPayload): Promise<Outcome>;
  tell(notice: Notice): void;
  warn(warning: Warning): void;
  /** Content that the host itself has written: nobody is asked about it. */
  readonly written?: ReadonlySet<string>;
}

/** A changed file whose old content stays active because a hook refused the change. */
export interface RefusedChange {
  readonly file: string;
  readonly reason: string;
}

const sources: Readonly<Partial<Record<Layer["kind"], string>>> = {
  managed: "policy_settings",
  user: "user_settings",
  project: "project_settings",
  local: "local_settings",
  skill: "skills",
};

/** Layers with each changed one as the old hooks want it: new, or kept as it was. */
async function confirmChanges(
  fresh: readonly Layer[],
  old: readonly Layer[],
  { fire, tell, written }: ReloadCallbacks,
): Promise<{ layers: readonly Layer[]; refused: readonly RefusedChange[] }> {
  const layers: Layer[] = [];
  const refused: RefusedChange[] = [];
  for (const change of changesOf(fresh, old)) {
    const { before, after, file = "" } = change;
    const source = sources[(after ?? before)?.kind ?? "flag"];
    const isOurs = after?.contentHash !== undefined && written?.has(after.contentHash) === true;
    const isChanged = before?.contentHash !== after?.contentHash && !isOurs;
    const outcome =
      isChanged && source !== undefined ? await fire("ConfigChange", { source, file_path: file }) : undefined;
    const keeps = outcome?.blocked === true;
    if (keeps) {
      const reason = outcome.reason ?? "a hook refused the change";
      refused.push({ file, reason });
      tell({ kind: "change-refused", file, reason });
    }
    const layer = keeps ? before : after;
    if (layer !== undefined) layers.push(layer);
  }
  // A removed layer that is kept goes back to its position.
  const inOrder = layers.sort((a, b) => layerKinds.indexOf(a.kind) - layerKinds.indexOf(b.kind));
  return { layers: inOrder, refused };
}

interface Change {
  readonly before: Layer | undefined;
  readonly after: Layer | undefined;
  readonly file: string | undefined;
}

/** Every layer there is or was. */
function changesOf(fresh: readonly Layer[], old: readonly Layer[]): readonly Change[] {
  const gone = old.filter((before) => !fresh.some((after) => isSame(before, after)));
  return [
    ...fresh.map((after) => ({ before: old.find((before) => isSame(before, after)), after, file: after.file })),
    ...gone.map((before) => ({ before, after: undefined, file: before.file })),
  ];
}

function isSame(a: Layer, b: Layer): boolean {
  return a.kind === b.kind && a.file === b.file;
}
