import { join } from "node:path";
import { type Fs, nodeFs } from "../../files/index.ts";
import { namesIn } from "./source-file.ts";

/** The files of managed settings in the order in which they count, a later one over an earlier one. */
export interface ManagedFiles {
  readonly files: readonly string[];
  /** The folder of further files is there and cannot be listed. */
  readonly unlisted?: { readonly folder: string; readonly why: string };
}

/** `managed-settings.json`, whether it is there or not, then `managed-settings.d/*.json` in the order of their names. */
export async function managedFiles(folder: string, fs: Fs = nodeFs): Promise<ManagedFiles> {
  const first = join(folder, "managed-settings.json");
  const more = join(folder, "managed-settings.d");
  const names = await namesIn(more, fs);
  if ("why" in names) return { files: [first], unlisted: { folder: more, why: names.why } };
  const others = names.filter((name) => name.endsWith(".json") && !name.startsWith("."));
  return { files: [first, ...others.map((name) => join(more, name))] };
}
