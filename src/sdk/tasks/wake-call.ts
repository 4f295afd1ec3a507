import type { WakeCall } from "./task-backend.ts";
import type { TasksCall } from "./tasks.ts";

/** What a backend is told that shall see to it that somebody works. */
export function wakeCall(call: TasksCall): WakeCall {
  const { world, table, logger } = call;
  return { tasks: table, file: world.file, env: world.env, cwd: projectOf(call), logger };
}

export function projectOf({ event, world }: Pick<TasksCall, "event" | "world">): string {
  return world.env["CLAUDE_PROJECT_DIR"] || event.cwd || world.cwd;
}
