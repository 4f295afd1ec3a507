import type { Engine } from "./engine.ts";
import type { NoOwnEvents, OwnEvents } from "./engine-type.ts";
import type { EngineOptions } from "./options.ts";

/**
 * Opens an engine on the settings that apply in a folder. Events of your own are a type parameter, so that their names and payloads
 * are checked too: `openEngine<{ Deploy: { target: string } }>({ events: [row] })`.
 */
// It is loaded here, so that importing the entry point costs next to nothing.
export async function openEngine<Own extends OwnEvents = NoOwnEvents>(
  options: EngineOptions = {},
): Promise<Engine<Own>> {
  const engine = await import("./engine.ts");
  return engine.openEngine<Own>(options);
}
