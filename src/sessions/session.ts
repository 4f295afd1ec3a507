import { existsSync } from "node:fs";
import { Problem, showValue, unlessAborted } from "../protocol/internal.ts";
import { type FindOptions, findSession } from "./find/find-sessions.ts";
import { type SessionFiles, type SessionPlace, sessionFilesOf } from "./find/session-files.ts";
import type { Entry, TranscriptItem } from "./model/entry.ts";
import { finalText } from "./model/final-text.ts";
import { type Ancestor, lineageOf } from "./model/lineage.ts";
import { modelOf, type SessionModel } from "./model/session-model.ts";
import { type PriceOf, type SessionStats, statsOf } from "./model/session-stats.ts";
import { checkCallOptions, checkSignal, checkWindow, homeOptions } from "./option-checks.ts";
import { queryOf } from "./query/build-query.ts";
import type { Query } from "./query/query.ts";
import { querySource } from "./query/query-source.ts";
import { type OffsetTable, offsetsOf, readEntryWindow, type WindowRequest } from "./read/entry-window.ts";
import { readEntries } from "./read/read-entries.ts";
import { sessionContentReader } from "./read/session-content.ts";
import { readHeader, type SessionHeader } from "./read/session-header.ts";

/**
 * One session. Each method reads no more than it needs: the ends of the file, a window of its lines, or all of it. The session is loaded
 * once, and concurrent callers share that load.
 */
export interface Session {
  /** The id of the session. */
  readonly id: string;
  /** Where the session is. */
  readonly place: SessionPlace;
  /** True once the whole session is in memory. */
  readonly loaded: boolean;
  /** Paths of all files of the session. */
  files(): Promise<SessionFiles>;
  /** Title, prompts and times, from the two ends of the file. */
  header(): Promise<SessionHeader>;
  /** The main transcript, line by line, without keeping it in memory. */
  entries(options?: { signal?: AbortSignal }): AsyncGenerator<TranscriptItem, void>;
  /** Loads the whole session: entries, graph, indexes. */
  load(signal?: AbortSignal): Promise<SessionModel>;
  /** Reads entries that were written since the load; true when there are any. */
  refresh(signal?: AbortSignal): Promise<boolean>;
  /** A part of the main transcript, without reading the rest. */
  window(request: WindowRequest, signal?: AbortSignal): Promise<TranscriptItem[]>;
  /** Selects a part of the session. */
  query(): Query<Entry>;
  /** Counts, tokens and times; with `price`, cost too. */
  stats(options?: { price?: PriceOf }): Promise<SessionStats>;
  /** The text of the last answer. */
  finalText(): Promise<string>;
  /** The sessions that this one continues. */
  lineage(): Promise<Ancestor[]>;
}

/** Options of `openSession`. */
export interface OpenSessionOptions extends FindOptions, SessionAtOptions {}

/** How `openSession` reads a session that was found. */
export interface SessionAtOptions {
  /** Replaces the clock, for tests. */
  readonly now?: () => number;
  /** Treat a session without a file as empty instead of throwing. */
  readonly missing?: "empty";
}

/** Opens a session by id, prefix, `last`, path, or place. Reads only file names until you call a method. */
export async function openSession(which: string | SessionPlace, options: OpenSessionOptions = {}): Promise<Session> {
  checkCallOptions("openSession", options, [...homeOptions, "roots", "cwd", "idsOnly", "missing", "now"]);
  if (typeof which === "string") return sessionAt(await findSession(which, options), options);
  if (typeof which?.file !== "string" || typeof which.id !== "string")
    throw new Problem(
      "sessions/option",
      `openSession needs an id or its beginning, "last", a path, or a place; it got ${showValue(which)}. For a result of listSessions pass its place.`,
    );
  return sessionAt(which, options);
}

export function sessionAt(place: SessionPlace, { now = Date.now, missing }: SessionAtOptions = {}): Session {
  const readContent = sessionContentReader(place, missing);
  let loading: Promise<SessionModel> | undefined;
  let model: SessionModel | undefined;
  let table: Promise<OffsetTable> | undefined;

  async function loadAll(): Promise<SessionModel> {
    const { content, changed } = await readContent();
    if (changed || model === undefined) model = modelOf(content);
    return model;
  }

  const isEmpty = () => missing === "empty" && !existsSync(place.file);

  /** After a failed load the next caller tries again. */
  function loadAgain(): Promise<SessionModel> {
    const load = loadAll().catch((error: unknown) => {
      if (loading === load) loading = undefined;
      throw error;
    });
    loading = load;
    return load;
  }

  async function load(signal?: AbortSignal): Promise<SessionModel> {
    checkSignal(signal);
    return unlessAborted(loading ?? loadAgain(), signal);
  }

  return {
    id: place.id,
    place,
    get loaded() {
      return model !== undefined;
    },
    files: () => sessionFilesOf(place),
    header: async () => (isEmpty() ? { file: place.file, sizeBytes: 0, modifiedMs: 0 } : readHeader(place.file)),
    async *entries(options = {}) {
      checkCallOptions("entries", options, ["signal"]);
      if (isEmpty()) return;
      for await (const batch of readEntries(place.file, options)) yield* batch;
    },
    load,
    async window(request, signal) {
      checkWindow(request);
      checkSignal(signal);
      const offsets = async () => {
        const earlier = await table;
        table = offsetsOf(place.file, earlier, signal);
        return table;
      };
      return isEmpty() ? [] : readEntryWindow(place.file, request, offsets, signal);
    },
    query: () => queryOf(querySource({ place, model: () => model, load, now, isEmpty })),
    async stats(options = {}) {
      checkCallOptions("stats", options, ["price"]);
      return statsOf(await load(), options);
    },
    finalText: async () => finalText(await load()),
    lineage: async () => lineageOf(await load()),
    async refresh(signal) {
      checkSignal(signal);
      const before = model;
      return (await unlessAborted(loadAgain(), signal)) !== before;
    },
  };
}
