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
import { defined, fieldOf, Problem, parseJson } from "../../protocol/internal.ts";
import { findSessions, type SessionPlace } from "../find/session-files.ts";
import { folderName, type SessionRoot, storeRoot } from "../find/session-roots.ts";
import { fillerRecords } from "../formats/claude-code/write-record.ts";
import type { GraphEntry } from "../model/entry-graph.ts";
import { checkObject, checkRecord, checkSessionOptions, checkStoreOptions } from "../option-checks.ts";
import { resolveInside, safeId } from "../safe-paths.ts";
import { type ForkOptions, forkSession } from "./fork-session.ts";
import { type ResumeState, readResumeState, readTranscriptConversation } from "./resume-state.ts";
import { openTranscriptWriter, type TranscriptWriter } from "./transcript-writer.ts";

/** A session of the store, open for appending to its main file and to those of its agents. */
export interface StoreSession extends TranscriptWriter {
  readonly id: string;
  readonly place: SessionPlace;
  /** The folder of all files except the main transcript. */
  readonly folder: string;
  /** Opens the transcript of a subagent, and writes `meta` to its `.meta.json`. */
  openAgent(id: string, meta: Readonly<Record<string, unknown>>): Promise<TranscriptWriter>;
}

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

/** Options of `openStore`. */
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

/** Options of `SessionStore.resume`. */
export interface SessionOptions {
  /** The working directory, written to each line. */
  readonly cwd: string;
  /** The git branch, written to each line. */
  readonly gitBranch?: string;
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

/** Opens the store of a host that writes its own transcripts. Other programs may write to the same store. */
export async function openStore(options: StoreOptions): Promise<SessionStore> {
  checkStoreOptions(options);
  const { version, entrypoint = "hookline", fs = nodeFs, now = Date.now, uuid = randomUUID } = options;
  const path = options.root ?? storeRoot(options).path;
  if (options.root === undefined) await openState([], options, fs);
  await openFolder(path, fs);
  await checkFormat(path, fs);
  const root: SessionRoot = { path, origin: "hookline" };
  const sessions: StoreSession[] = [];

  async function start(place: SessionPlace, wanted: SessionOptions, state?: ResumeState): Promise<StoreSession> {
    await resolveInside(path, place.file);
    await openFolder(place.folder, fs);
    const session = openStoreSession(place, wanted, { version, entrypoint, fs, now, uuid }, state);
    sessions.push(session);
    return session;
  }

  async function resume(place: SessionPlace, wanted: SessionOptions): Promise<ResumedSession> {
    const state = await readResumeState(place.file);
    return Object.assign(await start(place, wanted, state), { context: state.context });
  }

  async function existing(id: string): Promise<SessionPlace> {
    const place = placeOf(root, id);
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
      checkSessionOptions("open", options);
      const { id, ...wanted } = options;
      // No session has an id that was just made.
      const there = id === undefined ? undefined : placeOf(root, id);
      const place = there ?? newPlace(root, id ?? uuid(), wanted.cwd);
      return (await exists(place.file)) ? resume(place, wanted) : start(place, wanted);
    },
    async resume(id, wanted) {
      checkSessionOptions("resume", wanted);
      return resume(await existing(id), wanted);
    },
    async fork(source, options) {
      checkSessionOptions("fork", options);
      if (typeof source !== "string") checkObject("source", source);
      const { at, id, ...wanted } = options;
      const from = typeof source === "string" ? await existing(source) : source;
      if (id !== undefined && placeOf(root, id) !== undefined)
        throw new Problem("sessions/exists", `${path} holds a session ${id} already. Use another id.`, {
          about: { id },
        });
      const into = newPlace(root, id ?? uuid(), wanted.cwd);
      await openFolder(into.folder, fs);
      await resolveInside(path, into.file);
      const place = await forkSession(from, { into, id: into.id, fs, now, ...defined({ at }) });
      return resume(place, wanted);
    },
    async close() {
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return (await ignoringErrors(["ENOENT"], lstat(path))) !== undefined;
}

type Host = Required<Pick<StoreOptions, "version" | "entrypoint" | "fs" | "now" | "uuid">>;

function openStoreSession(
  place: SessionPlace,
  { cwd, gitBranch }: SessionOptions,
  { version, entrypoint, fs, now, uuid }: Host,
  state: ResumeState | undefined,
): StoreSession {
  const folder = join(place.folder, place.id);
  const envelope = { sessionId: place.id, cwd, version, entrypoint, gitBranch };
  const common = { root: place.root.path, sessionFolder: folder, fs, now, uuid };
  const main = openTranscriptWriter({ ...common, file: place.file, envelope, tip: state?.leaf ?? null });
  const agents: TranscriptWriter[] = [];
  let unanswered = state?.unanswered === true;

  return {
    id: place.id,
    place,
    folder,
    file: place.file,
    get tip() {
      return main.tip;
    },
    async append(draft, options) {
      checkRecord(draft);
      if (unanswered && draft.type === "user") {
        unanswered = false;
        // The queue keeps order, so these come before the prompt. If they fail, the prompt fails too and reports it.
        for (const filler of fillerRecords) main.append(filler).catch(() => undefined);
      }
      return main.append(draft, options);
    },
    async openAgent(id, meta) {
      checkObject("meta", meta);
      const stem = join(folder, "subagents", `agent-${safeId(id)}`);
      const file = `${stem}.jsonl`;
      await resolveInside(place.root.path, file);
      await openFolder(join(folder, "subagents"), fs);
      await replaceFile(`${stem}.meta.json`, JSON.stringify(meta), { fs });
      const isResumed = await exists(file);
      const tip = isResumed ? (await readTranscriptConversation(file, { ofAgent: true })).branches.leaf : undefined;
      const agent = openTranscriptWriter({ ...common, file, envelope: { ...envelope, agentId: id }, tip: tip ?? null });
      agents.push(agent);
      return agent;
    },
    async close() {
      await Promise.all([main, ...agents].map((transcript) => transcript.close()));
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
