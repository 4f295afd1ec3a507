import { join } from "node:path";
import { replaceFile } from "../../files/internal.ts";
import { isObject, Problem } from "../../protocol/internal.ts";
import { look } from "../find/list-folder.ts";
import type { Root } from "../find/session-roots.ts";
import { checkObject, wrong } from "../option-checks.ts";
import { isSafeId, realInside, safeId } from "../safe-paths.ts";
import { readIfThere } from "./client-json.ts";
import { readRegistry, type StartOf } from "./live-sessions.ts";

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

/** A file as it was loaded: it is written again only while it still has these bytes. */
export interface LoadedFile {
  readonly root: Root;
  readonly sessionId: string;
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface SaveOptions {
  /** Allow any change of status. */
  readonly force?: boolean;
  readonly startOf?: StartOf;
}

/** Contract: by temporary file and rename; refused while the client runs that session, and when somebody wrote meanwhile. */
export async function saveJson(loaded: LoadedFile, value: unknown, { startOf }: SaveOptions): Promise<Uint8Array> {
  if (loaded.root.origin === "client") await refuseWhileLive(loaded, startOf);
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  if ((await inTurn(loaded.file, () => replaceFile(loaded.file, bytes, { expect: loaded.bytes }))) === "replaced")
    return bytes;
  throw new Problem("sessions/changed", `${loaded.file} was changed since it was loaded. Load it again.`, {
    about: { file: loaded.file },
  });
}

const writes = new Map<string, Promise<unknown>>();

/** One write to a file after the other: of two at once, the second must see what the first wrote. */
async function inTurn<T>(file: string, write: () => Promise<T>): Promise<T> {
  const before = writes.get(file) ?? Promise.resolve();
  const mine = before.then(write, write);
  writes.set(file, mine);
  try {
    return await mine;
  } finally {
    if (writes.get(file) === mine) writes.delete(file);
  }
}

async function refuseWhileLive({ root, sessionId, file }: LoadedFile, startOf: StartOf | undefined): Promise<void> {
  const running = await readRegistry({ roots: [root], ...(startOf === undefined ? {} : { startOf }) });
  const owner = running.find((session) => session.sessionId === sessionId && session.live !== "no");
  if (owner === undefined) return;
  throw new Problem("sessions/live", `${file} belongs to a session that runs (process ${owner.pid}). End it first.`, {
    about: { file, sessionId, pid: owner.pid },
  });
}

const after: Readonly<Record<string, readonly string[]>> = {
  pending: ["in_progress", "cancelled"],
  in_progress: ["completed", "cancelled"],
  completed: [],
  cancelled: [],
};

/** Any status can be loaded; only these steps can be saved. */
export function checkTransition(
  what: string,
  from: string | undefined,
  to: string | undefined,
  force: boolean | undefined,
): void {
  if (force || from === to || from === undefined || to === undefined) return;
  const allowed = Object.hasOwn(after, from) ? after[from] : undefined;
  if (allowed === undefined || allowed.includes(to)) return;
  const way = allowed.length === 0 ? "nothing" : allowed.join(" or ");
  throw new Problem(
    "sessions/bad-transition",
    `${what} is ${from}; after that comes ${way}, not ${to}. Use force to set it anyway.`,
    {
      about: { from, to },
    },
  );
}

/** A todo list of an older version: one per session, and one per agent. */
export interface TodoList extends LoadedFile {
  readonly agentId?: string;
  readonly items: readonly Todo[];
}

export interface Todo {
  readonly id?: string;
  readonly content?: string;
  readonly status?: string;
  readonly activeForm?: string;
  readonly [more: string]: unknown;
}

/** `todos/<session>.json` and `todos/<session>-agent-<agent>.json`. */
export async function loadTodos(root: Root, sessionId: string): Promise<TodoList[]> {
  const prefix = safeId(sessionId);
  const lists: TodoList[] = [];
  for (const { name, path } of await look(root.path, join(root.path, "todos"))) {
    if (!name.startsWith(prefix) || !name.endsWith(".json")) continue;
    const rest = name.slice(prefix.length, -5);
    const agentId = /^-agent-(.+)$/.exec(rest)?.[1];
    if (rest !== "" && (agentId === undefined || !isSafeId(agentId))) continue;
    const bytes = await readIfThere(path);
    const items = bytes === undefined ? undefined : itemsIn(bytes);
    if (bytes === undefined || items === undefined) continue;
    lists.push({ root, sessionId, file: path, bytes, ...(agentId === undefined ? {} : { agentId }), items });
  }
  return lists;
}

/** Writes the whole list; each item that was there before may only take the steps a task may take. */
export async function saveTodos(list: TodoList, items: readonly Todo[], options: SaveOptions = {}): Promise<TodoList> {
  checkObject("list", list);
  if (!Array.isArray(items)) throw wrong("items", items, "a list");
  items.forEach((item, index) => {
    checkObject(`item ${index + 1}`, item);
    const before =
      list.items.find((old) => sameTodo(old, item)) ??
      (item.id === undefined && item.content === undefined ? list.items[index] : undefined);
    checkTransition(`todo "${item.content ?? item.id ?? index + 1}"`, before?.status, item.status, options.force);
  });
  const bytes = await saveJson(list, items, options);
  return { ...list, bytes, items };
}

function sameTodo(a: Todo, b: Todo): boolean {
  return a.id !== undefined && b.id !== undefined ? a.id === b.id : a.content !== undefined && a.content === b.content;
}

function itemsIn(bytes: Uint8Array): Todo[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return Array.isArray(value)
      ? value.filter((one): one is Todo => typeof one === "object" && one !== null)
      : undefined;
  } catch {
    // Half written, or not ours to understand.
    return undefined;
  }
}
