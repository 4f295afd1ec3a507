import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFolder, takeLock } from "../../files/internal.ts";
import { defined, Problem } from "../../protocol/internal.ts";
import {
  agentSettingIn,
  findRoots,
  findSession,
  folderName,
  type GraphEntry,
  openStore,
  type SessionPlace,
  type SessionStore,
  type StoreSession,
  sessionAt,
  storeRoot,
  type TranscriptWriter,
  uuidPattern,
} from "../../sessions/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { ToolPaths } from "../tools/tool.ts";
import { readPromptFile } from "../world/prompt-file.ts";

/** The id and the files of a session, and ids for its subagents and tasks. */
export interface SessionRecord {
  readonly id: string;
  /** The main transcript. Payloads name it even when nothing is written. */
  readonly file: string;
  /** `<session>/`, next to the transcript. */
  readonly folder: string;
  /** The folder of `tasks/`, `session-env/` and `sessions/`. */
  readonly root: string;
  /** The team name of the session's teammates. */
  readonly team: string;
  readonly main: TranscriptWriter;
  openAgent(id: string, meta: Readonly<Record<string, unknown>>): Promise<TranscriptWriter>;
  agentFile(id: string): string;
  newAgentId(name?: string): string;
  newTaskId(): string;
  close(): Promise<void>;
}

/** A record and the session that it continues. */
export interface OpenRecord {
  readonly record: SessionRecord;
  readonly source: "startup" | "resume";
  /** The earlier conversation; empty for a new session. */
  readonly context: readonly GraphEntry[];
  /** The subagent that the earlier session was started as. */
  readonly startedAs?: string;
  /** The session it was forked from, which SessionStart names. */
  readonly forkedFrom?: { readonly id: string; readonly file: string };
}

/** Opens the session that the options select: a new one, an earlier one, or a fork of one. */
export async function openRecord(options: AgentOptions): Promise<OpenRecord> {
  const { cwd, env, home, version, clock, uuid, persist, sessionId } = options;
  if (sessionId !== undefined) checkUuid(sessionId);
  const root = options.store ?? storeRoot({ env, home }).path;
  const selected = options.continueLatest === true ? "last" : options.resume;
  const place = selected === undefined ? undefined : await findSelected(selected, root, options);
  const startedAs = place === undefined ? undefined : await agentSettingIn(place.file);
  const earlier = { source: "resume", ...defined({ startedAs }) } as const;
  const forkedFrom = place === undefined ? undefined : { id: place.id, file: place.file };
  if (!persist) {
    const record = memoryRecord(options, root);
    if (place === undefined) return { record, source: "startup", context: [] };
    // The original stays unchanged and may run in another process.
    const { main } = await sessionAt(place).load();
    return { ...earlier, record, context: main.context(), ...defined({ forkedFrom }) };
  }
  const store = await openStore({ root, env, home, version, now: clock.now, uuid });
  const fields = { cwd, ...defined({ gitBranch: await gitBranch(cwd) }) };
  if (place === undefined) {
    const id = sessionId ?? uuid();
    const session = await store.open({ ...fields, id });
    if (!("context" in session)) return { record: await lockedRecord(session, store), source: "startup", context: [] };
    const message = `Session ${id} already exists. Use --resume ${id} to continue it, or omit --session-id.`;
    throw new Problem("sessions/exists", message, { about: { id } });
  }
  if (place.root.path === root && options.fork !== true) {
    const session = await store.resume(place.id, fields);
    // A session that another program wrote is continued in a fork; the original stays unchanged.
    const isOurs = session.context.every(({ entrypoint }) => entrypoint === undefined || entrypoint === "hookline");
    if (isOurs) return { ...earlier, record: await lockedRecord(session, store), context: session.context };
  }
  const session = await store.fork(place, { ...fields, ...defined({ id: sessionId }) });
  const record = await lockedRecord(session, store);
  return { ...earlier, record, context: session.context, ...defined({ forkedFrom }) };
}

async function findSelected(id: string, path: string, { cwd, env, home }: AgentOptions): Promise<SessionPlace> {
  const own = { path, origin: "hookline" } as const;
  return findSession(id, { cwd, roots: id === "last" ? [own] : [own, ...(await findRoots({ env, home }))] });
}

/** Opens a new record of the same kind, after `/clear`. */
export async function nextRecord(options: AgentOptions): Promise<SessionRecord> {
  const { sessionId: _, resume: __, continueLatest: ___, fork: ____, ...rest } = options;
  return (await openRecord(rest)).record;
}

/** One process per session: the lock is held until the record is closed or the process exits. */
async function lockedRecord(session: StoreSession, store: SessionStore): Promise<SessionRecord> {
  const { id, file, folder } = session;
  const root = store.root.path;
  await openFolder(join(root, "sessions"));
  const lock = await takeLock(join(root, "sessions", id), { waitMs: 0 });
  if (!lock.held) {
    const owner = lock.owner === undefined ? "Another process" : `Process ${lock.owner.pid}`;
    const message = `${owner} runs the session ${id}. End it first, or use --fork-session to continue in a copy.`;
    throw new Problem("sessions/live", message, { about: { id, pid: lock.owner?.pid } });
  }
  return {
    ...recordNames(id, file, folder, root),
    main: session,
    openAgent: (agent, meta) => session.openAgent(agent, meta),
    async close() {
      await store.close();
      await lock.release();
    },
  };
}

function recordNames(id: string, file: string, folder: string, root: string) {
  const agentFile = (agent: string): string => join(folder, "subagents", `agent-${agent}.jsonl`);
  return {
    id,
    file,
    folder,
    root,
    team: `session-${id.slice(0, 8)}`,
    agentFile,
    newAgentId: (name?: string) => `a${name === undefined ? "" : `${name}-`}${randomBytes(8).toString("hex")}`,
    newTaskId: () => `b${randomBytes(4).toString("hex")}`,
  };
}

/** The folders of long tool results, tasks and outputs of background commands. */
export function toolPaths({ record, options }: { record: SessionRecord; options: AgentOptions }): ToolPaths {
  const user = `hookline-${process.getuid?.() ?? "user"}`;
  return {
    toolResults: join(record.folder, "tool-results"),
    tasks: join(record.root, "tasks", record.id),
    // The folder of a session that is not recorded is temporary already.
    outputs: options.persist
      ? join(options.env["TMPDIR"] || tmpdir(), user, record.id, "tasks")
      : join(record.folder, "outputs"),
  };
}

/** A record without a transcript. Files of tools are in a temporary folder, which is removed with the run. */
function memoryRecord({ cwd, sessionId, uuid }: AgentOptions, root: string): SessionRecord {
  const id = sessionId ?? uuid();
  const file = join(root, "projects", folderName(cwd), `${id}.jsonl`);
  const temporary = join(tmpdir(), `hookline-${randomBytes(8).toString("hex")}`);
  const names = recordNames(id, file, join(temporary, id), temporary);
  return {
    ...names,
    main: discardingTranscript(names.file, uuid),
    openAgent: async (agent) => discardingTranscript(names.agentFile(agent), uuid),
    close: () => rm(temporary, { recursive: true, force: true }),
  };
}

function discardingTranscript(file: string, uuid: () => string): TranscriptWriter {
  let tip: string | null = null;
  return {
    file,
    get tip() {
      return tip;
    },
    async append(draft, options) {
      tip = options?.uuid ?? uuid();
      return { uuid: tip, record: draft };
    },
    close: async () => undefined,
  };
}

function checkUuid(id: string): void {
  if (uuidPattern.test(id)) return;
  const message = `"${id}" is not a UUID. Pass a full UUID or omit --session-id.`;
  throw new Problem("host/bad-session-id", message, { about: { id } });
}

/** The current branch, read from `.git/HEAD` without starting git. */
async function gitBranch(cwd: string): Promise<string | undefined> {
  // The file may be a pipe or a device.
  const head = await readPromptFile(join(cwd, ".git", "HEAD"), "anywhere");
  if (head === undefined || "fault" in head) return undefined;
  return /^ref: refs\/heads\/(.+)$/m.exec(head.text)?.[1] ?? "HEAD";
}
