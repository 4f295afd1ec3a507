import type { Engine } from "./engine.ts";
import type { EngineOptions } from "./options.ts";

/** Opens an engine on the settings that apply in a folder. It is loaded here, so that importing the door costs next to nothing. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  const engine = await import("./engine.ts");
  return engine.openEngine(options);
}
