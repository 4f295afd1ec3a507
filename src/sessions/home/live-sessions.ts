import { basename, join } from "node:path";
import { processExists, processStart } from "../../files/internal.ts";
import { textField } from "../../protocol/internal.ts";
import { findRoots, type RootOptions } from "../find/session-roots.ts";
import { listEntries } from "../find/transcript-files.ts";
import { checkCallOptions, homeOptions } from "../option-checks.ts";
import { watchFiles } from "../read/follow-session.ts";
import { readJsonObject, textFields } from "./claude-code-json.ts";

/** A session that a process has registered as running. */
export interface LiveSession {
  readonly pid: number;
  readonly sessionId: string;
  /** The directory in which the process was started. */
  readonly cwd?: string;
  readonly status: "idle" | "busy" | "waiting" | "unknown";
  readonly waitingFor?: string;
  /** It runs without a terminal. */
  readonly headless: boolean;
  /** Whether that process still runs. Checked by its start time, because process ids are reused. */
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

/** Finds the start time of a process; `gone` when it does not exist. Tests pass their own. */
export type StartOf = (pid: number) => string | "gone" | undefined;

/** Options of `liveSessions`. */
export interface LiveOptions extends RootOptions {
  /** Include sessions whose process has exited. */
  readonly all?: boolean;
  /** Replaces the reading of process start times, for tests. */
  readonly startOf?: StartOf;
}

/** Running sessions, sorted by pid. */
export async function liveSessions(options: LiveOptions = {}): Promise<LiveSession[]> {
  checkCallOptions("liveSessions", options, [...homeOptions, "roots", "all", "startOf"]);
  const { startOf = systemStart, all = false, ...where } = options;
  const sessions: LiveSession[] = [];
  for (const root of await findRoots(where)) {
    if (root.origin === "archive") continue;
    for (const { name, path } of listEntries(root.path, join(root.path, "sessions"))) {
      if (!/^\d+\.json$/.test(name)) continue;
      const fields = await readJsonObject(path);
      const session = fields && liveSessionFrom(path, fields, startOf);
      if (session !== undefined && (all || session.live !== "no")) sessions.push(session);
    }
  }
  return sessions.sort((a, b) => a.pid - b.pid);
}

const knownFields: ReadonlySet<string> = new Set([
  ...["pid", "sessionId", "cwd", "startedAt", "procStart", "version", "peerProtocol", "kind", "entrypoint", "name"],
  ...["nameSource", "status", "updatedAt", "statusUpdatedAt", "waitingFor"],
]);

function liveSessionFrom(file: string, fields: Record<string, unknown>, startOf: StartOf): LiveSession | undefined {
  const time = (key: string) => (typeof fields[key] === "number" ? { [`${key}Ms`]: fields[key] } : {});
  const { sessionId, kind, entrypoint, peerProtocol } = fields;
  if (typeof sessionId !== "string") return undefined;
  const pid = typeof fields["pid"] === "number" ? fields["pid"] : Number.parseInt(basename(file), 10);
  const extra = Object.fromEntries(Object.entries(fields).filter(([key]) => !knownFields.has(key)));
  return {
    pid,
    sessionId,
    ...textFields(fields, ["cwd"]),
    status: statusOf(fields["status"]),
    ...textFields(fields, ["waitingFor"]),
    headless: kind === "print" || (typeof entrypoint === "string" && entrypoint !== "cli" && entrypoint !== "hookline"),
    live: isProcessLive(pid, textField(fields, "procStart"), startOf),
    ...textFields(fields, ["name", "nameSource", "kind", "entrypoint", "version"]),
    ...(typeof peerProtocol === "number" ? { peerProtocol } : {}),
    ...textFields(fields, ["procStart"]),
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

function isProcessLive(pid: number, recordedStart: string | undefined, startOf: StartOf): LiveSession["live"] {
  const start = startOf(pid);
  if (start === "gone") return "no";
  if (start === undefined || recordedStart === undefined) return "unknown";
  return start === recordedStart ? "yes" : "no";
}

/** On Linux Claude Code records clock ticks since boot, as we do. Elsewhere the two formats cannot be compared. */
function systemStart(pid: number): string | "gone" | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !processExists(pid)) return "gone";
  return process.platform === "linux" ? processStart(pid) : undefined;
}

export interface LiveChange {
  readonly kind: "started" | "changed" | "ended";
  readonly session: LiveSession;
  /** The earlier state, for `changed`. `/clear` gives a process another session. */
  readonly before?: LiveSession;
}

/** Yields running sessions as `started`, then changes of the registry, until the signal aborts. */
export async function* watchLive(
  options: LiveOptions & { signal?: AbortSignal; pollMs?: number } = {},
): AsyncGenerator<LiveChange, undefined> {
  const { signal, pollMs = 250, ...where } = options;
  const folders = (await findRoots(where)).map(({ path }) => join(path, "sessions"));
  const changes = watchFiles(folders, signal);
  let earlier = new Map<string, LiveSession>();
  try {
    while (signal?.aborted !== true) {
      const now = new Map((await liveSessions(where)).map((session) => [session.file, session]));
      for (const [file, session] of now) {
        const before = earlier.get(file);
        if (before === undefined) yield { kind: "started", session };
        else if (JSON.stringify(before) !== JSON.stringify(session)) yield { kind: "changed", session, before };
      }
      for (const [file, session] of earlier) if (!now.has(file)) yield { kind: "ended", session };
      earlier = now;
      await changes.next(pollMs);
    }
  } finally {
    changes.close();
  }
}
