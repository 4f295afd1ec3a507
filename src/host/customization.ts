import { clientHome, loadLayers, lockedSurfaces, managedFolder } from "../engine/settings/index.ts";
import type { AgentOptions } from "./options.ts";

/** What a folder or a person can add to the agent beside hooks and settings. Skills stand for commands too. */
export type Surface = "skills" | "agents" | "mcp";

/** Where it can come from; `flag` is the command line. */
export type CustomSource = "user" | "project" | "local" | "flag";

/** Whether what a source adds is used. */
export type Reads = (surface: Surface, source: CustomSource) => boolean;

/** By `settingSources` alone. */
export function readsOf(sources: AgentOptions["settingSources"]): Reads {
  return (_, source) => source === "flag" || (sources?.includes(source) ?? true);
}

/**
 * By `settingSources` and by `strictPluginOnlyCustomization` of managed settings: a surface that it locks is left to plugins, whatever
 * source adds to it. What is locked is told once.
 */
export async function readCustomization(options: AgentOptions, warn: (text: string) => void): Promise<Reads> {
  const { cwd, env, home, managedFolder: managed } = options;
  const layers = await loadLayers({
    cwd,
    clientHome: clientHome(env["CLAUDE_CONFIG_DIR"], home),
    managedFolder: managed ?? managedFolder(process.platform),
    settingSources: [],
  });
  const locked = new Set(lockedSurfaces(layers));
  const names = surfaces.filter(({ surface }) => locked.has(surface)).map(({ name }) => name);
  if (names.length > 0)
    warn(`Managed settings leave ${names.join(", ")} to plugins (strictPluginOnlyCustomization): others are not used.`);
  const bySource = readsOf(options.settingSources);
  return (surface, source) => !locked.has(surface) && bySource(surface, source);
}

const surfaces: readonly { readonly surface: Surface; readonly name: string }[] = [
  { surface: "skills", name: "commands and skills" },
  { surface: "agents", name: "agents" },
  { surface: "mcp", name: "MCP servers" },
];
