import { join } from "node:path";
import { look } from "../find/list-folder.ts";
import type { Root } from "../find/session-roots.ts";
import { checkObject, wrong } from "../option-checks.ts";
import { isSafeId, safeId } from "../session-id.ts";
import { readIfThere } from "./read-if-there.ts";
import { checkTransition, type LoadedFile, type SaveOptions, saveJson } from "./save-json.ts";

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
