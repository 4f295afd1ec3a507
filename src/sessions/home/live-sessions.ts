import { join } from "node:path";
import { processExists, processStart } from "../../files/internal.ts";
import { findRoots, type RootOptions } from "../find/session-roots.ts";
import { listEntries } from "../find/transcript-files.ts";
import { watchPaths } from "../read/follow-session.ts";
import { readJsonObject } from "./client-json.ts";

/** A session that a process says it is running. */
export interface LiveSession {
  readonly pid: number;
  readonly sessionId: string;
  /** Where the process was started; a `cd` does not change it. */
  readonly cwd?: string;
  readonly status: "idle" | "busy" | "waiting" | "unknown";
  readonly waitingFor?: string;
  /** It runs without a terminal. */
  readonly headless: boolean;
  /** Whether that process runs: its number alone proves nothing, since numbers are given again. */
  readonly live: "yes" | "no" | "unknown";
  readonly name?: string;
  readonly nameSource?: string;
  readonly kind?: string;
  readonly entrypoint?: string;
  readonly version?: string;
  readonly peerProtocol?: number;
  readonly procStart?: string;
  readonly startedAtMs?: number;
  readonly updatedAtMs?: number;
  readonly statusUpdatedAtMs?: number;
  readonly file: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** How a process's start time is found; tests hand in another one. `gone` means there is no such process. */
export type StartOf = (pid: number) => string | "gone" | undefined;

export interface LiveOptions extends RootOptions {
  /** Include sessions whose process has exited. */
  readonly all?: boolean;
  readonly startOf?: StartOf;
}

/** Sessions that run now, by pid. */
export async function liveSessions(options: LiveOptions = {}): Promise<LiveSession[]> {
  const sessions = await readRegistry(options);
  return options.all ? sessions : sessions.filter(({ live }) => live !== "no");
}

export async function readRegistry({ startOf = systemStart, ...where }: LiveOptions): Promise<LiveSession[]> {
  const sessions: LiveSession[] = [];
  for (const root of await findRoots(where)) {
    if (root.origin === "archive") continue;
    for (const { name, path } of listEntries(root.path, join(root.path, "sessions"))) {
      if (!/^\d+\.json$/.test(name)) continue;
      const note = await readJsonObject(path);
      const session = note === undefined ? undefined : liveSessionFrom(path, Number.parseInt(name, 10), note, startOf);
      if (session !== undefined) sessions.push(session);
    }
  }
  return sessions.sort((a, b) => a.pid - b.pid);
}

const known: ReadonlySet<string> = new Set([
  ...["pid", "sessionId", "cwd", "startedAt", "procStart", "version", "peerProtocol", "kind", "entrypoint", "name"],
  ...["nameSource", "status", "updatedAt", "statusUpdatedAt", "waitingFor"],
]);

function liveSessionFrom(
  file: string,
  pidInName: number,
  note: Record<string, unknown>,
  startOf: StartOf,
): LiveSession | undefined {
  const text = (key: string) => (typeof note[key] === "string" ? { [key]: note[key] } : {});
  const time = (key: string) => (typeof note[key] === "number" ? { [`${key}Ms`]: note[key] } : {});
  const { sessionId, kind, entrypoint, procStart, peerProtocol } = note;
  if (typeof sessionId !== "string") return undefined;
  const pid = typeof note["pid"] === "number" ? note["pid"] : pidInName;
  const extra = Object.fromEntries(Object.entries(note).filter(([key]) => !known.has(key)));
  return {
    pid,
    sessionId,
    ...text("cwd"),
    status: statusOf(note["status"]),
    ...text("waitingFor"),
    headless: kind === "print" || (typeof entrypoint === "string" && entrypoint !== "cli" && entrypoint !== "hookline"),
    live: isProcessLive(pid, typeof procStart === "string" ? procStart : undefined, startOf),
    ...text("name"),
    ...text("nameSource"),
    ...text("kind"),
    ...text("entrypoint"),
    ...text("version"),
    ...(typeof peerProtocol === "number" ? { peerProtocol } : {}),
    ...text("procStart"),
    ...time("startedAt"),
    ...time("updatedAt"),
    ...time("statusUpdatedAt"),
    file,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function statusOf(status: unknown): LiveSession["status"] {
  if (status === "working") return "busy";
  return status === "idle" || status === "busy" || status === "waiting" ? status : "unknown";
}

function isProcessLive(pid: number, noted: string | undefined, startOf: StartOf): LiveSession["live"] {
  const start = startOf(pid);
  if (start === "gone") return "no";
  if (start === undefined || noted === undefined) return "unknown";
  return start === noted ? "yes" : "no";
}

/** On Linux both sides count clock ticks since boot; elsewhere the two spellings cannot be compared. */
function systemStart(pid: number): string | "gone" | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !processExists(pid)) return "gone";
  if (process.platform !== "linux") return undefined;
  return processStart(pid);
}

export interface LiveChange {
  readonly kind: "started" | "changed" | "ended";
  readonly session: LiveSession;
  /** How it was before, of a change: `/clear` gives a process another session. */
  readonly before?: LiveSession;
}

/** Changes of the registry from now on; those that run already come first, as started. Ends with the signal. */
export async function* watchLive(
  options: LiveOptions & { signal?: AbortSignal; pollMs?: number } = {},
): AsyncGenerator<LiveChange, undefined> {
  const { signal, pollMs = 250 } = options;
  const folders = (await findRoots(options)).map(({ path }) => join(path, "sessions"));
  const changes = watchPaths(folders, signal);
  let known = new Map<string, LiveSession>();
  try {
    while (signal?.aborted !== true) {
      const now = new Map((await liveSessions(options)).map((session) => [session.file, session]));
      for (const [file, session] of now) {
        const before = known.get(file);
        if (before === undefined) yield { kind: "started", session };
        else if (JSON.stringify(before) !== JSON.stringify(session)) yield { kind: "changed", session, before };
      }
      for (const [file, session] of known) if (!now.has(file)) yield { kind: "ended", session };
      known = now;
      await changes.next(pollMs);
    }
  } finally {
    changes.close();
  }
}
