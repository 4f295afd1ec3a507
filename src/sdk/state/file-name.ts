import type { HookEvent } from "../app/hook-event.ts";
import type { World } from "../app/run-environment.ts";
import type { ScopeName } from "./state.ts";

/** The file in which one scope of an event's state is kept, in the folder of that scope. */
export async function stateFileName(
  scope: ScopeName | "told",
  event: Pick<HookEvent, "sessionId" | "cwd">,
  world: Pick<World, "env" | "cwd">,
): Promise<string> {
  return (await import("./state-files.ts")).stateFileName(scope, event, world);
}
