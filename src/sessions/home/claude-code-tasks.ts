import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inOrder, replaceFile } from "../../files/internal.ts";
import { defined, mustBe, Problem, parseObject, stringsIn } from "../../protocol/internal.ts";
import type { SessionRoot } from "../find/session-roots.ts";
import { listEntries } from "../find/transcript-files.ts";
import { checkArgument, checkCallOptions } from "../option-checks.ts";
import { realPathBelow, safeId } from "../safe-paths.ts";
import { textFields } from "./claude-code-json.ts";
import { liveSessions, type StartOf } from "./live-sessions.ts";

/** One task of a session's list. */
export interface Task {
  readonly root: SessionRoot;
  readonly sessionId: string;
  readonly file: string;
  /** The content of the file. It is replaced only if it still has these bytes. */
  readonly bytes: Uint8Array;
  readonly id: string;
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string;
  /** `pending`, `in_progress`, `completed`, `cancelled`, or another text from the file. */
  readonly status?: string;
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  /** All fields of the file. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The fields of a task that `saveTask` can change. */
export type TaskChange = Partial<
  Pick<Task, "subject" | "description" | "activeForm" | "status" | "blocks" | "blockedBy">
>;

/** Reads `tasks/<session>/<n>.json`, sorted by number. Empty when the folder does not exist. */
export async function loadTasks(root: SessionRoot, sessionId: string): Promise<Task[]> {
  const folder = await realPathBelow(root.path, join(root.path, "tasks", safeId(sessionId)));
  const tasks: Task[] = [];
  for (const { name, path } of listEntries(root.path, folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    // Claude Code may remove or write the file meanwhile.
    const bytes = await readFile(path).catch(() => undefined);
    const task = bytes && toTask({ root, sessionId, file: path, bytes });
    if (task !== undefined) tasks.push(task);
  }
  return tasks.sort((a, b) => Number(a.id) - Number(b.id) || (a.file < b.file ? -1 : 1));
}

/** Saves a change and returns the task as it is on disk. */
export async function saveTask(task: Task, change: TaskChange, options: SaveOptions = {}): Promise<Task> {
  checkArgument("task", task, mustBe.object);
  checkArgument("change", change, mustBe.object);
  checkCallOptions("saveTask", options, ["force", "startOf"]);
  if (!options.force) checkTransition(task, change.status);
  const bytes = await saveJson(task, { ...task.fields, ...defined(change) }, options);
  return toTask({ ...task, bytes }) ?? task;
}

/** Undefined when the file is not a task. */
function toTask({ root, sessionId, file, bytes }: TaskFile): Task | undefined {
  const fields = parseObject(Buffer.from(bytes).toString("utf8"));
  if (fields === undefined) return undefined;
  const id = typeof fields["id"] === "string" ? fields["id"] : (/(\d+)\.json$/.exec(file)?.[1] ?? "");
  return {
    root,
    sessionId,
    file,
    bytes,
    id,
    ...textFields(fields, ["subject", "description", "activeForm", "status"]),
    blocks: stringsIn(fields["blocks"]),
    blockedBy: stringsIn(fields["blockedBy"]),
    fields,
  };
}

type TaskFile = Pick<Task, "root" | "sessionId" | "file" | "bytes">;

/** Options of `saveTask`. */
export interface SaveOptions {
  /** Allow any change of status. */
  readonly force?: boolean;
  /** Replaces the reading of process start times, for tests. */
  readonly startOf?: StartOf;
}

/** Contract: replaces the file by a rename. Throws while Claude Code runs that session, and when the file was changed meanwhile. */
async function saveJson(task: TaskFile, value: unknown, { startOf }: SaveOptions): Promise<Uint8Array> {
  const { file } = task;
  if (task.root.origin === "client") await refuseWhileLive(task, startOf);
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  // A second write sees the result of the first.
  const written = await inOrder(file, () => replaceFile(file, bytes, { expect: task.bytes }));
  if (written === "replaced") return bytes;
  throw new Problem("sessions/changed", `${file} was changed since it was loaded. Load it again.`, { about: { file } });
}

async function refuseWhileLive({ root, sessionId, file }: TaskFile, startOf: StartOf | undefined): Promise<void> {
  const running = await liveSessions({ roots: [root], ...defined({ startOf }) });
  const owner = running.find((session) => session.sessionId === sessionId);
  if (owner === undefined) return;
  const message = `${file} belongs to a running session (process ${owner.pid}). End it first.`;
  throw new Problem("sessions/live", message, { about: { file, sessionId, pid: owner.pid } });
}

const nextStatuses: Readonly<Record<string, readonly string[]>> = {
  pending: ["in_progress", "cancelled"],
  in_progress: ["completed", "cancelled"],
  completed: [],
  cancelled: [],
};

/** Any status can be loaded; only these changes can be saved. */
function checkTransition({ id, status: from }: Task, to: string | undefined): void {
  if (from === to || from === undefined || to === undefined) return;
  const allowed = Object.hasOwn(nextStatuses, from) ? nextStatuses[from] : undefined;
  if (allowed === undefined || allowed.includes(to)) return;
  const expected = allowed.length === 0 ? "cannot change" : `can change to ${allowed.join(" or ")}`;
  const message = `task ${id} is ${from} and ${expected}, not to ${to}. Use force to set it anyway.`;
  throw new Problem("sessions/bad-transition", message, { about: { from, to } });
}
