import { resolve } from "node:path";
import { clientHome, loadLayers, managedFolder } from "../engine/settings/index.ts";
import { type RuleLayer, ruleLayerOf } from "../permissions/index.ts";
import type { Warning } from "../protocol/index.ts";
import type { Call, Io } from "./command.ts";

export interface PermissionLayers {
  readonly layers: readonly RuleLayer[];
  readonly warnings: readonly Warning[];
  /** The settings files in force. */
  readonly files: readonly string[];
}

/** The rules of every settings file that applies, and those given on the command line. */
export async function permissionLayers(call: Call, cwd: string, io: Io): Promise<PermissionLayers> {
  const flags: RuleLayer = {
    scope: "flags",
    allow: call.texts("allow"),
    ask: call.texts("ask"),
    deny: call.texts("deny"),
  };
  if (call.flag("no-settings") && call.texts("settings").length === 0)
    return { layers: [flags], warnings: [], files: [] };
  const found = await loadLayers({
    cwd,
    clientHome: clientHome(io.env["CLAUDE_CONFIG_DIR"], io.home),
    managedFolder: managedFolder(process.platform),
    settings: call.texts("settings").map((file) => (file.trimStart().startsWith("{") ? file : resolve(io.cwd, file))),
  });
  const read = call.flag("no-settings") ? found.filter(({ kind }) => kind === "flag") : found;
  // What a checkout grants counts once it is pinned; what it restricts counts at once.
  const layers = read.flatMap((layer) => ruleLayerOf(layer, layer.kind !== "project" && layer.kind !== "local") ?? []);
  return {
    layers: [...layers, flags],
    warnings: read.flatMap(({ warnings }) => warnings),
    files: read.flatMap(({ file }) => file ?? []),
  };
}
