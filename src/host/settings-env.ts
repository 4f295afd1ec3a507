import { clientHome, loadLayers, managedFolder, mergeLayers } from "../engine/settings/index.ts";
import type { AgentOptions } from "./options.ts";

/**
 * What the person's own settings and policy add to the environment of tools. A checkout's `env` is not among it: that is for its own
 * hooks, once they were approved.
 */
export async function settingsEnv(options: AgentOptions): Promise<Readonly<Record<string, string>>> {
  const { cwd, env, home, settings = [], plugins = [] } = options;
  const layers = await loadLayers({
    cwd,
    clientHome: clientHome(env["CLAUDE_CONFIG_DIR"], home),
    managedFolder: options.managedFolder ?? managedFolder(process.platform),
    settings,
    plugins,
  });
  return mergeLayers(layers).effective.env.shared;
}
