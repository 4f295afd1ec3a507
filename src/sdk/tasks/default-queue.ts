import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openState, statePath, syncBackedFs } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import type { Answer } from "../answer/answer.ts";
import { appKey } from "../app/app-runtime.ts";
import { sdkProblem } from "../app/argument-checks.ts";
import type { RunEnvironment } from "../app/run-environment.ts";
import { queueTasks } from "./file-queue.ts";
import { type JobFolder, sessionHash } from "./job-files.ts";
import type { TaskBackend, TaskRecord } from "./task-backend.ts";
import type { TaskCallContext } from "./tasks.ts";

/** The backend of an app that names none: files in the user's state folder, and a worker that is started when there is work. */
export function defaultTasks(environment: Pick<RunEnvironment, "env" | "file">): TaskBackend {
  if (environment.file === undefined) {
    const wayOut = "Give createApp a `tasks` backend, or the test client one of its own.";
    throw sdkProblem("no-tasks", `There is no hooks file here that a worker could run tasks from. ${wayOut}`);
  }
  const { file, env } = environment;
  return queueTasks(queueFolder(file, env), {
    prepare: () => openState(["tasks", appKey(file)], { env }, syncBackedFs),
    wake: async (folder, call) => (await import("./start-worker.ts")).startWorker(folder, call),
  });
}

/** Jobs of one hooks file are in one folder: a worker for them needs its code. */
export function queueFolder(file: string, env: Readonly<Record<string, string | undefined>>): string {
  return join(statePath({ env }), "tasks", appKey(file));
}

/**
 * What jobs added with `deliver: "context"` have to say, each once over all processes.
 * Contract: never throws; what cannot be delivered now is reported and stays.
 */
export async function deliverResults(call: TaskCallContext, onDisk: boolean): Promise<readonly Answer[]> {
  try {
    if (onDisk) await wakeForPending(call);
    if (onDisk && nothingEnded(call)) return [];
    const backend = await call.backend();
    const session = call.event.sessionId ?? "";
    const texts: string[] = [];
    for (const record of await backend.list(session)) {
      if (record.deliver !== "context") continue;
      const taken = await takeOf(backend, record);
      if (taken !== undefined) texts.push(textOf(taken));
    }
    return texts.map((text) => ({ kind: "context", text }));
  } catch (error) {
    call.environment.complain(`Results of background tasks could not be delivered: ${messageOf(error)}`);
    return [];
  }
}

/** A worker leaves when the hooks file changes, and only a hook starts the next one: the host has let it run as it is now. */
async function wakeForPending(call: TaskCallContext): Promise<void> {
  if (namesOf(call, "pending").length > 0) await call.wake(await call.backend());
}

function nothingEnded(call: TaskCallContext): boolean {
  const mark = `-${sessionHash(call.event.sessionId ?? "")}-`;
  return !namesOf(call, "done").some((name) => name.includes(mark));
}

/** One look into a folder, for this is asked with every event. */
function namesOf({ environment }: TaskCallContext, state: JobFolder): readonly string[] {
  try {
    return readdirSync(join(queueFolder(environment.file ?? "", environment.env), state));
  } catch {
    return []; // no such folder: no job was ever added
  }
}

async function takeOf(backend: TaskBackend, record: TaskRecord): Promise<TaskRecord | undefined> {
  if (record.state !== "completed" && record.state !== "failed") return undefined;
  return backend.take(record, record.key, record.state);
}

function textOf({ key, state, value, error }: TaskRecord): string {
  if (state === "failed") return `Background task ${key} failed: ${error?.message ?? "unknown error"}`;
  return `Background task ${key} has finished:\n${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`;
}
