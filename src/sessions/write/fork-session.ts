import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { ensureFolder, type Fs, nodeFs, replaceFile } from "../../files/internal.ts";
import { defined, Problem, textField } from "../../protocol/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { contextOf, lastCompaction } from "../model/compactions.ts";
import { type GraphEntry, isBoundary } from "../model/entry-graph.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { checkCallOptions, checkSessionPlace } from "../option-checks.ts";
import { copyReferencedFiles } from "../parts/part-files.ts";
import { safeId } from "../safe-paths.ts";
import { setField } from "./edit-line.ts";
import { readTranscriptConversation } from "./resume-state.ts";

/** Options of `forkSession`. */
export interface ForkOptions {
  /** The last entry of the fork. Default: the end of the active branch. */
  readonly at?: string;
  /** The project folder of the fork. Default: that of the original. */
  readonly into?: Pick<SessionPlace, "root" | "project" | "folder">;
  /** The id of the fork. Default: a new UUID. */
  readonly id?: string;
  /** Replaces the file system, for tests. */
  readonly fs?: Fs;
  /** Replaces the clock, for tests. */
  readonly now?: () => number;
}

/**
 * Copies a session into a new one: the active chain from its last compaction on, with the same uuids,
 * times and usage. Contract: not a byte of the original changes; the new transcript appears whole or not at all.
 */
export async function forkSession(source: SessionPlace, options: ForkOptions = {}): Promise<SessionPlace> {
  checkSessionPlace(source);
  checkCallOptions("forkSession", options, ["at", "into", "id", "fs", "now"]);
  const { fs = nodeFs, now = Date.now, into = source } = options;
  const { root, project, folder } = into;
  const id = safeId(options.id ?? randomUUID());
  const place: SessionPlace = { id, root, project, folder, file: join(folder, `${id}.jsonl`) };
  const chain = forkChain(await readTranscriptConversation(source.file), options.at, source);
  const lines: Buffer[] = [];
  for (const { entry, parentUuid } of chain) {
    let line: Uint8Array = await copyReferencedFiles(entry, source, place, fs);
    if (entry.sessionId !== undefined) line = setField(line, "sessionId", id);
    if (parentUuid !== entry.parentUuid) line = setField(line, "parentUuid", parentUuid);
    lines.push(Buffer.concat([line, Buffer.from("\n")]));
  }
  const at = chain.at(-1)?.entry.uuid;
  // The source has a file of its own, because readers take every line for part of the conversation. `at`: the last entry that both have.
  const forkedFrom = { sessionId: source.id, ...defined({ at }) };
  const note = { forkedFrom, forkedAt: new Date(now()).toISOString() };
  await ensureFolder(dirname(forkNotePath(place)), fs);
  await replaceFile(forkNotePath(place), `${JSON.stringify(note, null, 2)}\n`, { fs });
  const written = await replaceFile(place.file, Buffer.concat(lines), { fs, expect: null });
  if (written === "replaced") return place;
  const message = `${place.file} is there already. A fork needs an id of its own.`;
  throw new Problem("sessions/exists", message, { about: { id, file: place.file } });
}

/** An entry of the fork and its parent there. */
interface ChainLink {
  readonly entry: GraphEntry;
  readonly parentUuid: string | null;
}

function forkChain(thread: Conversation, at: string | undefined, source: SessionPlace): ChainLink[] {
  const whole = thread.history(at);
  const end = at === undefined ? whole.length - 1 : whole.findIndex(({ uuid }) => uuid === at);
  if (at !== undefined && end < 0) throw noSuchEntry(at, source);
  const history = whole.slice(0, end + 1);
  const boundary = history[lastCompaction(history)];
  // An unfinished compaction is skipped: Claude Code would resume the fork and see nothing of what came before it.
  const context = contextOf(thread.graph, history).filter((entry) => !isBoundary(entry));
  return boundary === undefined
    ? linkToPrevious(context, new Map())
    : linkToPrevious([boundary, ...context], parentsAcrossCompaction(boundary, context));
}

/**
 * What a compaction preserved is before it in the original. In the fork it comes after the summary: the parent of
 * its first line is the summary, and the children of the summary become children of its last line, so that one path contains them all.
 */
function parentsAcrossCompaction(boundary: GraphEntry, context: readonly GraphEntry[]): ReadonlyMap<string, string> {
  const summary = context.find((entry) => entry.kind === "user" && entry.role === "summary");
  const preserved = context.filter((entry) => entry.offset < boundary.offset);
  const tail = preserved.at(-1);
  if (summary === undefined || tail === undefined) return new Map();
  const moved = new Map(preserved.map((entry, n) => [entry.uuid, (preserved[n - 1] ?? summary).uuid]));
  const kept = new Set(preserved.map(({ uuid }) => uuid));
  for (const { uuid, parentUuid } of context) {
    if (parentUuid === summary.uuid && !kept.has(uuid)) moved.set(uuid, tail.uuid);
  }
  // Parallel results hang on their own call: a link inside the preserved lines stays as it is.
  for (const { uuid, parentUuid } of preserved)
    if (parentUuid !== null && kept.has(parentUuid)) moved.set(uuid, parentUuid);
  return moved;
}

/** An entry whose parent is not in the fork gets the one before it as its parent. */
function linkToPrevious(entries: readonly GraphEntry[], moved: ReadonlyMap<string, string>): ChainLink[] {
  const known = new Set(entries.map(({ uuid }) => uuid));
  return entries.map((entry, n) => {
    const wanted = moved.get(entry.uuid) ?? entry.parentUuid;
    if (wanted === null || known.has(wanted)) return { entry, parentUuid: wanted };
    return { entry, parentUuid: entries[n - 1]?.uuid ?? null };
  });
}

function noSuchEntry(at: string, source: SessionPlace): Problem {
  const message = `${source.id} has no entry ${at} in its conversation. hookline sessions show ${source.id} --raw prints the entries with their ids.`;
  return new Problem("sessions/not-found", message, { about: { at, session: source.id } });
}

/** `<session>/hookline.json` */
export function forkNotePath(place: Pick<SessionPlace, "folder" | "id">): string {
  return join(place.folder, place.id, "hookline.json");
}

/** The session that a field `forkedFrom` names, in a note or in a line of Claude Code. */
export function forkSourceIn(forkedFrom: unknown): string | undefined {
  return typeof forkedFrom === "string" ? forkedFrom : textField(forkedFrom, "sessionId");
}
