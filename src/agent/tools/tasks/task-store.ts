import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ignoringErrors, replaceFile, withLock } from "../../../files/internal.ts";
import { parseObject } from "../../../protocol/internal.ts";

/** One task of a session's list, as `<n>.json` holds it. */
export interface StoredTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string;
  readonly owner?: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Runs `work` while the list is locked, for this process and others. */
export async function withTasks<T>(folder: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return withLock(join(folder, ".lock"), work, { signal });
}

/** In the order of their numbers. Files that are not tasks are skipped: other programs write here too. */
export async function listTasks(folder: string): Promise<StoredTask[]> {
  const tasks = await Promise.all((await idsIn(folder)).map((id) => loadTask(folder, id)));
  return tasks.filter((task) => task !== undefined);
}

async function idsIn(folder: string): Promise<string[]> {
  const names = (await ignoringErrors(["ENOENT"], readdir(folder))) ?? [];
  const ids = names.flatMap((name) => /^(\d{1,9})\.json$/.exec(name)?.[1] ?? []);
  return ids.sort((a, b) => Number(a) - Number(b));
}

/** Undefined for an id that is not a number: an id from a model never names another file. */
export async function loadTask(folder: string, id: string): Promise<StoredTask | undefined> {
  if (!/^\d{1,9}$/.test(id)) return undefined;
  const text = await ignoringErrors(["ENOENT"], readFile(join(folder, `${id}.json`), "utf8"));
  return text === undefined ? undefined : readTask(text, id);
}

export async function writeTask(folder: string, task: StoredTask): Promise<void> {
  await replaceFile(join(folder, `${task.id}.json`), JSON.stringify(task, null, 2));
}

/** Deletes a task and every reference to it. Its number is not used again. */
export async function removeTask(folder: string, id: string): Promise<void> {
  await raiseHighWaterMark(folder, Number(id));
  await rm(join(folder, `${id}.json`), { force: true });
  const without = (ids: readonly string[]) => ids.filter((one) => one !== id);
  for (const task of await listTasks(folder)) {
    if (!task.blocks.includes(id) && !task.blockedBy.includes(id)) continue;
    await writeTask(folder, { ...task, blocks: without(task.blocks), blockedBy: without(task.blockedBy) });
  }
}

/** Reserves a number that no file has or had. */
export async function reserveTaskId(folder: string): Promise<string> {
  const highest = Math.max(await mark(folder), ...(await idsIn(folder)).map(Number));
  await raiseHighWaterMark(folder, highest + 1);
  return String(highest + 1);
}

/** Returns a number that was not used, unless later ones were reserved meanwhile. */
export async function releaseTaskId(folder: string, id: string): Promise<void> {
  if ((await mark(folder)) === Number(id)) await replaceFile(join(folder, markName), String(Number(id) - 1));
}

const markName = ".highwatermark";

async function mark(folder: string): Promise<number> {
  const text = (await ignoringErrors(["ENOENT"], readFile(join(folder, markName), "utf8"))) ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

async function raiseHighWaterMark(folder: string, to: number): Promise<void> {
  if ((await mark(folder)) < to) await replaceFile(join(folder, markName), String(to));
}

/** Undefined for what is not a task: a partial file, or one of another program. */
function readTask(text: string, id: string): StoredTask | undefined {
  const fields = parseObject(text);
  if (fields === undefined) return undefined;
  const { subject, description, status, blocks, blockedBy } = fields;
  const textList = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);
  return {
    ...fields,
    id,
    subject: typeof subject === "string" ? subject : "",
    description: typeof description === "string" ? description : "",
    status: status === "in_progress" || status === "completed" ? status : "pending",
    blocks: textList(blocks),
    blockedBy: textList(blockedBy),
  };
}
