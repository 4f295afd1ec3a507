import type { HookEvent } from "../event.ts";
import type { World } from "../world.ts";
import type { ScopeName } from "./state.ts";

/** The file in which one scope of an event's state is kept, in the folder of that scope. */
export async function stateFileName(
  scope: ScopeName | "told",
  event: Pick<HookEvent, "sessionId" | "cwd">,
  world: Pick<World, "env" | "cwd">,
): Promise<string> {
  return (await import("./files.ts")).stateFileName(scope, event, world);
}
