import { randomUUID } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Fs,
  type HomeSource,
  ignoringErrors,
  nodeFs,
  openFolder,
  openState,
  readPrivate,
  replaceFile,
} from "../../files/internal.ts";
import { fieldOf, Problem, parseJson } from "../../protocol/internal.ts";
import { findSessions, type SessionPlace } from "../find/session-files.ts";
import { folderName, type SessionRoot, storeRoot } from "../find/session-roots.ts";
import type { GraphEntry } from "../model/entry-graph.ts";
import { checkObject, checkSessionOptions, checkText } from "../option-checks.ts";
import { resolveInside, safeId } from "../safe-paths.ts";
import { type ForkOptions, forkSession } from "./fork-session.ts";
import { type ResumeState, readResumeState } from "./resume-state.ts";
import { openStoreSession, type StoreSession } from "./store-session.ts";

/** Sessions that a host writes itself, laid out as the client lays out its own, so that every reader here reads them. */
export interface SessionStore {
  readonly root: SessionRoot;
  /** Opens a new session, or an existing one to continue. */
  open(options: OpenOptions): Promise<StoreSession>;
  /** Opens an existing session with the context for the model. Nothing is written before the first record. */
  resume(id: string, options: SessionOptions): Promise<ResumedSession>;
  /** A new session that begins as another one went, wherever that one is; the other keeps every byte. */
  fork(source: string | SessionPlace, options: OpenOptions & Pick<ForkOptions, "at">): Promise<ResumedSession>;
  /** Resolves when everything appended to any of its sessions is written. */
  close(): Promise<void>;
}

export interface StoreOptions extends HomeSource {
  /** The folder of the store. Default: in the user's state folder. */
  readonly root?: string;
  /** The host's own version, written to each line. */
  readonly version: string;
  /** The name of the host, written to each line. Default: `hookline`. */
  readonly entrypoint?: string;
  /** Replaces the file system, for tests. */
  readonly fs?: Fs;
  /** Replaces the clock, for tests. */
  readonly now?: () => number;
  /** Makes the ids of records, for tests. */
  readonly uuid?: () => string;
}

export interface SessionOptions {
  /** The working directory, written to each line. */
  readonly cwd: string;
  /** The git branch, written to each line. */
  readonly gitBranch?: string;
}

export interface OpenOptions extends SessionOptions {
  /** The id of the session. Default: a new UUID. */
  readonly id?: string;
}

export interface ResumedSession extends StoreSession {
  /** The last summary, what was preserved, and all that came after. */
  readonly context: readonly GraphEntry[];
}

/** Opens a folder of transcripts for writing: new sessions, and sessions that continue. */
/** Opens the store of a host that writes its own transcripts. Other programs may write to the same store. */
export async function openStore(options: StoreOptions): Promise<SessionStore> {
  checkObject("options", options);
  checkText("version", options.version);
  if (options.root !== undefined) checkText("root", options.root);
  const { version, entrypoint = "hookline", fs = nodeFs, now = Date.now, uuid = randomUUID } = options;
  const path = options.root ?? storeRoot(options).path;
  if (options.root === undefined) await openState([], options, fs);
  await openFolder(path, fs);
  await checkFormat(path, fs);
  const root: SessionRoot = { path, origin: "hookline" };
  const sessions: StoreSession[] = [];

  async function start(place: SessionPlace, wanted: SessionOptions, goingOn?: ResumeState): Promise<StoreSession> {
    await resolveInside(path, place.file);
    await openFolder(place.folder, fs);
    const session = openStoreSession({ place, ...wanted, version, entrypoint, fs, now, uuid, goingOn });
    sessions.push(session);
    return session;
  }

  async function goOn(place: SessionPlace, wanted: SessionOptions): Promise<ResumedSession> {
    const goingOn = await readResumeState(place.file);
    return Object.assign(await start(place, wanted, goingOn), { context: goingOn.context });
  }

  async function known(id: string): Promise<SessionPlace> {
    const place = await placeOf(root, safeId(id));
    if (place !== undefined) return place;
    throw new Problem(
      "sessions/not-found",
      `${path} holds no session ${id}. hookline sessions ls lists those there are.`,
      { about: { id, root: path } },
    );
  }

  return {
    root,
    async open(options) {
      checkSessionOptions(options);
      const { id, ...wanted } = options;
      // An id that was just made is nowhere yet.
      const there = id === undefined ? undefined : await placeOf(root, safeId(id));
      const place = there ?? newPlace(root, id ?? uuid(), wanted.cwd);
      const begun = (await ignoringErrors(["ENOENT"], lstat(place.file))) !== undefined;
      return begun ? goOn(place, wanted) : start(place, wanted);
    },
    async resume(id, wanted) {
      checkSessionOptions(wanted);
      return goOn(await known(id), wanted);
    },
    async fork(source, options) {
      checkSessionOptions(options);
      if (typeof source !== "string") checkObject("source", source);
      const { at, id, ...wanted } = options;
      const from = typeof source === "string" ? await known(source) : source;
      if (id !== undefined && (await placeOf(root, safeId(id))) !== undefined)
        throw new Problem("sessions/exists", `${path} holds a session ${id} already. Use another id.`, {
          about: { id },
        });
      const into = newPlace(root, id ?? uuid(), wanted.cwd);
      await openFolder(into.folder, fs);
      await resolveInside(path, into.file);
      const place = await forkSession(from, { into, id: into.id, fs, now, ...(at === undefined ? {} : { at }) });
      return goOn(place, wanted);
    },
    async close() {
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}

async function placeOf(root: SessionRoot, id: string): Promise<SessionPlace | undefined> {
  for await (const place of findSessions([root])) if (place.id === id) return place;
  return undefined;
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
  throw new Problem(
    "sessions/newer-format",
    `${root} was written by a newer Hookline (format ${found}, this one knows ${storeFormat}). It can be read; to write to it, update Hookline or use another folder.`,
    { about: { root, format: found, known: storeFormat } },
  );
}

/** Undefined for a new store; a mark that cannot be read counts as newer than all we know. */
async function readFormat(root: string, fs: Fs): Promise<number | undefined> {
  const bytes = await readPrivate(join(root, name), fs);
  if (bytes === undefined) return undefined;
  const format = fieldOf(parseJson(bytes.toString("utf8")), "format");
  return typeof format === "number" ? format : Number.POSITIVE_INFINITY;
}
