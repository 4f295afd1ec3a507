import { join } from "node:path";
import { isObject } from "../../protocol/index.ts";
import { look } from "../find/list-folder.ts";
import type { Root } from "../find/session-roots.ts";
import { checkObject } from "../option-checks.ts";
import { realInside } from "../safe-paths.ts";
import { safeId } from "../session-id.ts";
import { readIfThere } from "./read-if-there.ts";
import { checkTransition, type LoadedFile, type SaveOptions, saveJson } from "./save-json.ts";

/** One task of a session's list. */
export interface Task extends LoadedFile {
  readonly id: string;
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string;
  /** `pending`, `in_progress`, `completed`, `cancelled`, or whatever is written there. */
  readonly status?: string;
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  /** Everything in the file. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type TaskChange = Partial<
  Pick<Task, "subject" | "description" | "activeForm" | "status" | "blocks" | "blockedBy">
>;

/** `tasks/<session>/<n>.json`, in the order of their numbers. A folder that is not there is an empty list. */
export async function loadTasks(root: Root, sessionId: string): Promise<Task[]> {
  const folder = await realInside(root.path, join(root.path, "tasks", safeId(sessionId)));
  const tasks: Task[] = [];
  for (const { name, path } of await look(root.path, folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const task = toTask(root, sessionId, path, await readIfThere(path));
    if (task !== undefined) tasks.push(task);
  }
  return tasks.sort((a, b) => Number(a.id) - Number(b.id) || (a.file < b.file ? -1 : 1));
}

/** The task as it is on disk afterwards. */
export async function saveTask(task: Task, change: TaskChange, options: SaveOptions = {}): Promise<Task> {
  checkObject("task", task);
  checkObject("change", change);
  checkTransition(`task ${task.id}`, task.status, change.status, options.force);
  // A field without a value leaves what is there.
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const bytes = await saveJson(task, { ...task.fields, ...given }, options);
  return toTask(task.root, task.sessionId, task.file, bytes) ?? task;
}

/** Undefined when the file is gone or no task: a client writes here while we read. */
function toTask(root: Root, sessionId: string, file: string, bytes: Uint8Array | undefined): Task | undefined {
  const fields = bytes === undefined ? undefined : parse(bytes);
  if (bytes === undefined || fields === undefined) return undefined;
  const text = (key: string) => (typeof fields[key] === "string" ? { [key]: fields[key] } : {});
  const id = typeof fields["id"] === "string" ? fields["id"] : (/(\d+)\.json$/.exec(file)?.[1] ?? "");
  return {
    root,
    sessionId,
    file,
    bytes,
    id,
    ...text("subject"),
    ...text("description"),
    ...text("activeForm"),
    ...text("status"),
    blocks: texts(fields["blocks"]),
    blockedBy: texts(fields["blockedBy"]),
    fields,
  };
}

/** Undefined for what is no object of JSON. */
function parse(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
