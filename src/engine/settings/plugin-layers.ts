import { basename, join, relative, resolve } from "node:path";
import { type Fs, sha256 } from "../../files/internal.ts";
import { shown } from "../safe-text/shown.ts";
import type { Rows } from "./check-hooks.ts";
import type { Layer } from "./layer.ts";
import { manifestFile, readManifest } from "./plugin-options.ts";
import { type LayerSource, layerOf, readLayer, unreadable } from "./read-layer.ts";
import { readSourceFile, realPath } from "./settings-source.ts";

/** The hooks of one plugin: `hooks/hooks.json`, then what its manifest names or holds under `hooks`, as the client reads it. */
export async function pluginLayers(root: string, clientHome: string, fs: Fs, rows: Rows): Promise<Layer[]> {
  const plugin = { root, data: join(clientHome, "plugins", "data", basename(root)) };
  const standard: PluginSource = { kind: "plugin", file: join(root, "hooks", "hooks.json"), plugin };
  const inManifest: PluginSource = { ...standard, file: manifestFile(root) };
  const own = await fileLayer(standard);
  if (own.length === 0 && (await realPath(root, fs)) === undefined) {
    return [unreadable(standard, `the plugin's folder ${root} is not there`)];
  }
  const { hooks, unread } = await readManifest(root, fs);
  // Beside hooks of its own file the options report it.
  if (unread !== undefined && own.length === 0) return [unreadable(inManifest, unread)];
  const further = await Promise.all((Array.isArray(hooks) ? hooks : [hooks]).map(manifestLayer));
  return [...own, ...further.flat()];

  async function manifestLayer(given: unknown): Promise<Layer[]> {
    if (given === undefined) return [];
    if (typeof given !== "string") return [layerOf(inManifest, { hooks: given }, hashOf(given), rows)];
    const source = { ...inManifest, file: resolve(root, given) };
    const way = relative(root, source.file);
    if (!given.startsWith("./") || way === ".." || way.startsWith("../")) {
      return [
        unreadable(inManifest, `hooks names ${shown(given)}; a path begins with ./ and stays in the plugin's folder`),
      ];
    }
    if (source.file === standard.file) return [];
    const found = await fileLayer(source);
    return found.length > 0 ? found : [unreadable(source, `${inManifest.file} names it and there is no such file`)];
  }

  async function fileLayer(source: PluginSource): Promise<Layer[]> {
    const found = await readSourceFile(source.file, fs);
    if (found.is === "missing") return [];
    return [found.is === "read" ? readLayer(source, found.bytes, rows) : unreadable(source, found.why)];
  }
}

type PluginSource = LayerSource & { readonly kind: "plugin"; readonly file: string };

function hashOf(value: unknown): string {
  return sha256(JSON.stringify(value));
}
