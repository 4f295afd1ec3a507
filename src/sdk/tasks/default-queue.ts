import { join } from "node:path";
import { directFs, openState, statePath } from "../../files/internal.ts";
import { appKey } from "../app/app-key.ts";
import type { World } from "../app/run-environment.ts";
import { wrong } from "../app/wrong-call.ts";
import { queueTasks } from "./file-queue.ts";
import type { TaskBackend } from "./task-backend.ts";

/** The backend of an app that names none: files in the user's state folder, and a worker that is started when there is work. */
export function defaultTasks(world: Pick<World, "env" | "file">): TaskBackend {
  if (world.file === undefined) {
    const wayOut = "Give createApp a `tasks` backend, or the test client one of its own.";
    throw wrong("no-tasks", `There is no hooks file here that a worker could run tasks from. ${wayOut}`);
  }
  const { file, env } = world;
  return queueTasks(queueFolder(file, env), {
    prepare: () => openState(["tasks", appKey(file)], { env }, directFs),
    wake: async (folder, call) => (await import("./start-worker.ts")).startWorker(folder, call),
  });
}

/** Jobs of one hooks file lie together: whoever works on them must have its code. */
export function queueFolder(file: string, env: Readonly<Record<string, string | undefined>>): string {
  return join(statePath({ env }), "tasks", appKey(file));
}
