import { join } from "node:path";
import { replaceFile } from "../../files/internal.ts";
import { Problem, parseObject } from "../../protocol/internal.ts";
import type { SessionRoot } from "../find/session-roots.ts";
import { listEntries } from "../find/transcript-files.ts";
import { checkObject } from "../option-checks.ts";
import { resolveInside, safeId } from "../safe-paths.ts";
import { readIfExists } from "./client-json.ts";
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

/** `tasks/<session>/<n>.json`, in the order of their numbers. Empty when there is no such folder. */
export async function loadTasks(root: SessionRoot, sessionId: string): Promise<Task[]> {
  const folder = await resolveInside(root.path, join(root.path, "tasks", safeId(sessionId)));
  const tasks: Task[] = [];
  for (const { name, path } of listEntries(root.path, folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const task = toTask(root, sessionId, path, await readIfExists(path));
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

/** Undefined when the file was removed or is not a task: a client may write while we read. */
function toTask(root: SessionRoot, sessionId: string, file: string, bytes: Uint8Array | undefined): Task | undefined {
  const fields = bytes === undefined ? undefined : parseObject(Buffer.from(bytes).toString("utf8"));
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

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** A file as it was loaded: it is written again only while it still has these bytes. */
interface LoadedFile {
  readonly root: SessionRoot;
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
async function saveJson(loaded: LoadedFile, value: unknown, { startOf }: SaveOptions): Promise<Uint8Array> {
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
function checkTransition(
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
    { about: { from, to } },
  );
}
