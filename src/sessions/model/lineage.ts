import { stat } from "node:fs/promises";
import { errorCode } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import { findSessionsIn, type SessionPlace } from "../find/session-files.ts";
import { readJsonObject } from "../home/client-json.ts";
import { openBytes } from "../read/byte-source.ts";
import { readHeader } from "../read/session-header.ts";
import { isGraphEntry } from "./entry-graph.ts";
import type { SessionModel } from "./session-model.ts";

/** A session this one came from. */
export interface Ancestor {
  readonly id: string;
  /** How we know: a field in its records, our own note of a fork, or lines with equal uuids. */
  readonly by: "session_id" | "forkedFrom" | "note" | "shared-uuids";
  /** Its file, if that still exists. */
  readonly file?: string;
}

/** Sessions whose conversation this one continues, the most certain first. */
export async function lineageOf(model: SessionModel): Promise<Ancestor[]> {
  const { place } = model;
  const siblings = await findSessionsIn({ root: place.root, name: place.project, path: place.folder });
  const fileOf = (id: string) => siblings.find((other) => other.id === id)?.file;
  const found = new Map<string, Ancestor>();
  const add = (id: unknown, by: Ancestor["by"]) => {
    if (typeof id !== "string" || id === place.id || found.has(id)) return;
    const file = fileOf(id);
    found.set(id, { id, by, ...(file === undefined ? {} : { file }) });
  };
  for (const entry of model.main.entries) {
    add(entry.ancestorSessionId, "session_id");
    add(sessionIn(entry.forkedFrom), "forkedFrom");
  }
  add(await notedOrigin(model), "note");
  for (const id of await sharedWith(model, siblings)) add(id, "shared-uuids");
  return [...found.values()];
}

function sessionIn(forkedFrom: unknown): unknown {
  if (typeof forkedFrom !== "object" || forkedFrom === null) return forkedFrom;
  return "sessionId" in forkedFrom ? forkedFrom.sessionId : undefined;
}

async function notedOrigin({ files }: SessionModel): Promise<unknown> {
  const note = files.others.find((path) => path.endsWith("/hookline.json") || path.endsWith("\\hookline.json"));
  const content = note === undefined ? undefined : await readJsonObject(note);
  return sessionIn(content?.["forkedFrom"]);
}

/** Older sessions of the project that hold this one's first line: a fork copies lines, uuids and all. */
async function sharedWith(model: SessionModel, siblings: readonly SessionPlace[]): Promise<string[]> {
  const first = model.main.entries.find(isGraphEntry)?.uuid;
  if (first === undefined) return [];
  const mine = await ageOf(model.place.file);
  const shared: string[] = [];
  for (const { id, file } of siblings) {
    if (id !== model.place.id && (await isAncestor(file, first, mine))) shared.push(id);
  }
  return shared;
}

/** A file that cannot be read, or went meanwhile, tells nothing about this session; `validate` names it. */
async function isAncestor(file: string, first: string, mine: Age): Promise<boolean> {
  try {
    return isOlder(await ageOf(file), mine) && (await holds(file, `"uuid":"${first}"`));
  } catch (error) {
    if (error instanceof Problem || errorCode(error) !== undefined) return false;
    throw error;
  }
}

interface Age {
  readonly firstAt: string;
  readonly bornMs: number;
}

/** The first time in a file, in the order of its lines: a fork's own lines stand before those it copied. */
async function ageOf(file: string): Promise<Age> {
  const { firstAt = "" } = await readHeader(file);
  return { firstAt, bornMs: (await stat(file)).birthtimeMs };
}

function isOlder(one: Age, other: Age): boolean {
  return one.firstAt === other.firstAt ? one.bornMs < other.bornMs : one.firstAt < other.firstAt;
}

async function holds(file: string, text: string): Promise<boolean> {
  const source = await openBytes(file);
  try {
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let at = 0; ; at += chunk.length - text.length) {
      const count = await source.read(chunk, at);
      if (chunk.subarray(0, count).includes(text)) return true;
      if (count < chunk.length) return false;
    }
  } finally {
    await source.close();
  }
}
