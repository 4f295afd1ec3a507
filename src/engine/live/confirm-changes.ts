import { layerKinds, type Outcome, type Warning } from "../../protocol/internal.ts";
import type { AnyPayload } from "../fire/payload.ts";
import type { Notice } from "../ports.ts";
import type { Layer } from "../settings/layer.ts";

export interface ReloadCallbacks {
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
export async function confirmChanges(
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
