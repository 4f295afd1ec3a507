import { stat } from "node:fs/promises";
import { closeAfter, errorCode } from "../../files/internal.ts";
import { defined, Problem } from "../../protocol/internal.ts";
import { findSessionsIn, type SessionPlace } from "../find/session-files.ts";
import { readJsonObject } from "../home/claude-code-json.ts";
import { openBytes } from "../read/byte-source.ts";
import { readHeader } from "../read/session-header.ts";
import { forkNotePath, forkSourceIn } from "../write/fork-session.ts";
import { isGraphEntry } from "./entry-graph.ts";
import type { SessionModel } from "./session-model.ts";

/** A session this one came from. */
export interface Ancestor {
  readonly id: string;
  /** The evidence: a field in its records, the note of our own fork, or lines with equal uuids. */
  readonly by: "session_id" | "forkedFrom" | "note" | "shared-uuids";
  /** Its file, if it still exists. */
  readonly file?: string;
}

/** The sessions that this one continues, the most certain first. */
export async function lineageOf(model: SessionModel): Promise<Ancestor[]> {
  const { place } = model;
  const siblings = findSessionsIn(place);
  const ancestors = new Map<string, Ancestor>();
  const add = (id: string | undefined, by: Ancestor["by"]) => {
    if (id === undefined || id === place.id || ancestors.has(id)) return;
    const file = siblings.find((sibling) => sibling.id === id)?.file;
    ancestors.set(id, { id, by, ...defined({ file }) });
  };
  for (const entry of model.main.entries) {
    add(entry.ancestorSessionId, "session_id");
    add(forkSourceIn(entry.forkedFrom), "forkedFrom");
  }
  const note = await readJsonObject(forkNotePath(place));
  add(forkSourceIn(note?.["forkedFrom"]), "note");
  for (const id of await olderCopies(model, siblings)) add(id, "shared-uuids");
  return [...ancestors.values()];
}

/** Ids of older sessions of the project that contain the first line of this one: a fork copies lines with their uuids. */
async function olderCopies(model: SessionModel, siblings: readonly SessionPlace[]): Promise<string[]> {
  const first = model.main.entries.find(isGraphEntry)?.uuid;
  if (first === undefined) return [];
  const age = await ageOf(model.place.file);
  const ids: string[] = [];
  for (const { id, file } of siblings) {
    if (id !== model.place.id && (await isAncestor(file, first, age))) ids.push(id);
  }
  return ids;
}

/** A file that cannot be read or was deleted meanwhile is not an ancestor; `validate` reports it. */
async function isAncestor(file: string, first: string, age: Age): Promise<boolean> {
  try {
    return isOlder(await ageOf(file), age) && (await contains(file, `"uuid":"${first}"`));
  } catch (error) {
    if (error instanceof Problem || errorCode(error) !== undefined) return false;
    throw error;
  }
}

interface Age {
  readonly firstAt: string;
  readonly bornMs: number;
}

/** `firstAt` is the time of the first line. A fork writes its own lines before the copied ones, so it is younger than its source. */
async function ageOf(file: string): Promise<Age> {
  const { firstAt = "" } = await readHeader(file);
  return { firstAt, bornMs: (await stat(file)).birthtimeMs };
}

function isOlder(a: Age, b: Age): boolean {
  return a.firstAt === b.firstAt ? a.bornMs < b.bornMs : a.firstAt < b.firstAt;
}

async function contains(file: string, text: string): Promise<boolean> {
  const source = await openBytes(file);
  return closeAfter(source, async () => {
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let at = 0; ; at += chunk.length - text.length) {
      const count = await source.read(chunk, at);
      if (chunk.subarray(0, count).includes(text)) return true;
      if (count < chunk.length) return false;
    }
  });
}
