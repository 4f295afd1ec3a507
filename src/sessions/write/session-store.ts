import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { type Fs, nodeFs, openFolder, openState, readPrivate, replaceFile } from "../../files/internal.ts";
import { defined, fieldOf, mustBe, Problem, parseJson } from "../../protocol/internal.ts";
import { findSessions, type SessionPlace } from "../find/session-files.ts";
import { folderName, type SessionRoot, storeRoot } from "../find/session-roots.ts";
import type { GraphEntry } from "../model/entry-graph.ts";
import { checkArgument, checkCallOptions, checkSessionOptions, homeOptions } from "../option-checks.ts";
import { realPathBelow, safeId } from "../safe-paths.ts";
import { type ForkOptions, forkSession } from "./fork-session.ts";
import { type ResumeState, readResumeState } from "./resume-state.ts";
import {
  exists,
  openStoreSession,
  type SessionOptions,
  type StoreOptions,
  type StoreSession,
} from "./store-session.ts";

/** Sessions that a host writes itself, laid out as Claude Code lays out its own, so that every reader here reads them. */
export interface SessionStore {
  /** Where the sessions are kept. */
  readonly root: SessionRoot;
  /**
   * Opens a new session, or an existing one to continue. If its last prompt or result was not answered, the next `user` record is
   * preceded by two records that Claude Code writes too, so that roles alternate: "Continue from where you left off." and
   * "No response requested.". Throws `sessions/already-open` while this store has it open: a session has
   * one writer. This covers neither other stores nor other processes; a host that may run twice has to take a lock of its own.
   */
  open(options: OpenOptions): Promise<StoreSession>;
  /** Opens an existing session with the context for the model. Nothing is written before the first record. */
  resume(id: string, options: SessionOptions): Promise<ResumedSession>;
  /** Copies a session into a new one, wherever it is; the original keeps every byte. */
  fork(source: string | SessionPlace, options: OpenOptions & Pick<ForkOptions, "at">): Promise<ResumedSession>;
  /** Resolves when everything appended to any of its sessions is written. After that, opening a session throws `sessions/closed`. */
  close(): Promise<void>;
}

/** Options of `SessionStore.open` and `SessionStore.fork`. */
export interface OpenOptions extends SessionOptions {
  /** The id of the session. Default: a new UUID. */
  readonly id?: string;
}

/** A session opened by `SessionStore.resume` or `SessionStore.fork`, with the context for the model. */
export interface ResumedSession extends StoreSession {
  /** The last summary, what was preserved, and all that came after. */
  readonly context: readonly GraphEntry[];
}

const storeOptions = [...homeOptions, "root", "version", "entrypoint", "fs", "now", "uuid"] as const;

/** Opens the store of a host that writes its own transcripts. Other programs may write to the same store, each to its own sessions. */
export async function openStore(options: StoreOptions): Promise<SessionStore> {
  checkCallOptions("openStore", options, storeOptions, ["version"]);
  const { version, entrypoint = "hookline", fs = nodeFs, now = Date.now, uuid = randomUUID } = options;
  // The process may change its working directory later.
  const path = resolve(options.root ?? storeRoot(options).path);
  if (options.root === undefined) await openState([], options, fs);
  await openFolder(path, fs);
  await checkFormat(path, fs);
  const root: SessionRoot = { path, origin: "hookline" };
  const sessions = new Set<StoreSession>();
  const openIds = new Set<string>();
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Problem("sessions/closed", `The store ${path} is closed. Open it again with openStore.`);
  }

  /** Two writers would each continue from their own last record, and readers would follow only one of them. */
  async function claim<Opened extends StoreSession>(id: string, begin: () => Promise<Opened>): Promise<Opened> {
    checkOpen();
    if (openIds.has(id)) {
      const message = `Session ${id} is already open in this store. Use the object that opened it, close it with its close(), or close the store.`;
      throw new Problem("sessions/already-open", message, { about: { id } });
    }
    openIds.add(id);
    return begin().catch((error: unknown) => {
      openIds.delete(id);
      throw error;
    });
  }

  async function start(place: SessionPlace, wanted: SessionOptions, state?: ResumeState): Promise<StoreSession> {
    await realPathBelow(path, place.file);
    await openFolder(place.folder, fs);
    checkOpen();
    const session = openStoreSession(place, wanted, { version, entrypoint, fs, now, uuid }, state, () => {
      if (sessions.delete(session)) openIds.delete(place.id);
    });
    sessions.add(session);
    return session;
  }

  async function resume(place: SessionPlace, wanted: SessionOptions): Promise<ResumedSession> {
    const state = await readResumeState(place.file);
    return Object.assign(await start(place, wanted, state), { context: state.context });
  }

  async function existing(id: string): Promise<SessionPlace> {
    const place = placeOf(root, id);
    if (place !== undefined) return place;
    const message = `${path} holds no session ${id}. hookline sessions ls lists those there are.`;
    throw new Problem("sessions/not-found", message, { about: { id, root: path } });
  }

  return {
    root,
    async open(options) {
      const { id, ...wanted } = checkSessionOptions("open", options);
      // No session has an id that was just made.
      const there = id === undefined ? undefined : placeOf(root, id);
      const place = there ?? newPlace(root, id ?? uuid(), wanted.cwd);
      return claim(place.id, async () => ((await exists(place.file)) ? resume(place, wanted) : start(place, wanted)));
    },
    async resume(id, options) {
      const wanted = checkSessionOptions("resume", options);
      const place = await existing(id);
      return claim(place.id, () => resume(place, wanted));
    },
    async fork(source, options) {
      const { at, id, ...wanted } = checkSessionOptions("fork", options);
      if (typeof source !== "string") checkArgument("source", source, mustBe.object);
      const from = typeof source === "string" ? await existing(source) : source;
      if (id !== undefined && placeOf(root, id) !== undefined) {
        const message = `${path} holds a session ${id} already. Use another id.`;
        throw new Problem("sessions/exists", message, { about: { id } });
      }
      const into = newPlace(root, id ?? uuid(), wanted.cwd);
      return claim(into.id, async () => {
        await openFolder(into.folder, fs);
        await realPathBelow(path, into.file);
        const place = await forkSession(from, { into, id: into.id, fs, now, ...defined({ at }) });
        return resume(place, wanted);
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([...sessions].map((session) => session.close()));
    },
  };
}

function placeOf(root: SessionRoot, id: string): SessionPlace | undefined {
  const wanted = safeId(id);
  return findSessions([root]).find((place) => place.id === wanted);
}

function newPlace(root: SessionRoot, id: string, cwd: string): SessionPlace {
  const project = folderName(cwd);
  const folder = join(root.path, "projects", project);
  return { id, root, project, folder, file: join(folder, `${id}.jsonl`) };
}

/** Raised by one when what we write can no longer be read by those who wrote it before. */
const storeFormat = 1;

const name = "hookline-store.json";

/** Marks a new store with our format. Contract: a store of a newer format is refused, and not a byte of it changes. */
async function checkFormat(root: string, fs: Fs): Promise<void> {
  if ((await refuseNewer(root, fs)) !== undefined) return;
  await replaceFile(join(root, name), `${JSON.stringify({ format: storeFormat })}\n`, { fs, expect: null });
}

/** The format of a store that may be written to; one that is newer than all we know is `sessions/newer-format`. */
export async function refuseNewer(root: string, fs: Fs): Promise<number | undefined> {
  const found = await readFormat(root, fs);
  if (found === undefined || found <= storeFormat) return found;
  const message = `${root} was written by a newer Hookline (format ${found}, this one knows ${storeFormat}). It can be read; to write to it, update Hookline or use another directory.`;
  throw new Problem("sessions/newer-format", message, { about: { root, format: found, known: storeFormat } });
}

/** Undefined for a new store; a mark that cannot be read counts as newer than all we know. */
async function readFormat(root: string, fs: Fs): Promise<number | undefined> {
  const bytes = await readPrivate(join(root, name), fs);
  if (bytes === undefined) return undefined;
  const format = fieldOf(parseJson(bytes.toString("utf8")), "format");
  return typeof format === "number" ? format : Number.POSITIVE_INFINITY;
}
