import { layerKinds, type Outcome, type Warning } from "../../protocol/index.ts";
import type { AnyPayload } from "../fire/payload.ts";
import type { Notice } from "../ports.ts";
import type { Layer } from "../settings/layer.ts";

export interface Asking {
  fire(event: string, payload: AnyPayload): Promise<Outcome>;
  tell(notice: Notice): void;
  warn(warning: Warning): void;
  /** Content that the host itself has written: nobody is asked about it. */
  readonly written?: ReadonlySet<string>;
}

/** A changed file whose old content stays in force because a hook wanted it so. */
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
export async function askAboutChanges(
  fresh: readonly Layer[],
  old: readonly Layer[],
  { fire, tell, written }: Asking,
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
  // A layer that is gone but kept goes back to its place.
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
