import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "../protocol/index.ts";
import type { Layer } from "./layer.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import { readLayer } from "./settings/index.ts";

export function settingsFiles({ cwd, clientHome }: ResolvedOptions): readonly string[] {
  return [
    join(clientHome, "settings.json"),
    join(cwd, ".claude", "settings.json"),
    join(cwd, ".claude", "settings.local.json"),
  ];
}

export async function loadLayers(options: ResolvedOptions): Promise<readonly Layer[]> {
  const [user = "", project = "", local = ""] = settingsFiles(options);
  const sources = [
    { kind: "user" as const, file: user },
    { kind: "project" as const, file: project },
    { kind: "local" as const, file: local },
    ...options.settings.map((file) => ({ kind: "flag" as const, file })),
  ];
  const layers: Layer[] = [];
  for (const source of sources) {
    try {
      layers.push(readLayer(source, await readFile(source.file), options.rows));
    } catch (error) {
      if (source.kind === "flag")
        throw new Problem("settings/unreadable", `${source.file} cannot be read: ${String(error)}`);
    }
  }
  return layers;
}
