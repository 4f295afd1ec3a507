import { resolve } from "node:path";
import type { Env } from "../../files/internal.ts";
import { defined, lazy } from "../../protocol/internal.ts";
import type { Session } from "../../sessions/internal.ts";
import type { FailureMode } from "../answer/event-rules.ts";
import type { LogRecord, LogTarget } from "../log/logger.ts";
import type { StateAccess } from "../state/state.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import type { HookEvent } from "./hook-event.ts";

export type { Env };

/** The message of every method of `ctx.git` in a replay. */
export const gitUnavailable = "ctx.git is not available in a replay: git knows the present, not the past.";

/** Provided by the program that runs an app: `hookline run`, the daemon, a test. */
export interface RunEnvironment extends LogTarget {
  readonly env: Env;
  /** The folder of an event whose payload has no `cwd`. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly replay: boolean;
  /** Contract: an empty session when there is no such file. */
  readonly openTranscript: (path: string | undefined) => Promise<unknown>;
  /** Replaces state files. */
  readonly state?: StateAccess;
  /** Replaces members of the context, for tests. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** The hooks file, so that a worker can run its tasks. */
  readonly file?: string;
  /** Replaces the app's own backend. */
  readonly tasks?: TaskBackend;
  /** The mode in the settings entry. The stricter of this and the app's own applies. */
  readonly onFailure?: FailureMode;
  /** How much of the event's time is used up: another process has tried to answer. */
  readonly spentMs?: number;
}

/** The project of an event. It reads the environment, which the daemon has to fetch from the caller, so it is called on demand only. */
export function projectDirOf(event: Pick<HookEvent, "cwd">, { env, cwd }: Pick<RunEnvironment, "env" | "cwd">): string {
  return env["CLAUDE_PROJECT_DIR"] || event.cwd || cwd;
}

interface RunOptions extends Pick<RunEnvironment, "env" | "cwd" | "complain"> {
  readonly file?: string | undefined;
  readonly onFailure?: FailureMode | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly spentMs?: number | undefined;
}

/**
 * The environment of one event outside of tests and replays. Log records of the app are added to `records`. `env` and `signal` are read
 * once, when a handler asks for them: they may be getters.
 */
export function runEnvironment(
  { options: { log } }: { readonly options: { readonly log?: unknown } },
  given: RunOptions,
  records: LogRecord[],
): RunEnvironment {
  const { cwd, complain, file, onFailure, spentMs } = given;
  const env = lazy(() => given.env);
  const signal = lazy(() => given.signal ?? new AbortController().signal);
  return {
    get env() {
      return env();
    },
    get signal() {
      return signal();
    },
    cwd,
    complain,
    replay: false,
    now: Date.now,
    openTranscript,
    ...(log === false ? {} : { log: (record: LogRecord) => void records.push(record) }),
    ...defined({ file: file && resolve(file), onFailure, spentMs }),
  };
}

/** A path that cannot exist on any system: its parent is a file. */
const missingPath = `${process.execPath}/no-transcript.jsonl`;

/** The session of a transcript. Empty without a path, for a path that is not a transcript, and when there is no such file. */
export async function openTranscript(path: string | undefined): Promise<Session> {
  const { openSession } = await import("../../sessions/internal.ts");
  // openSession would look up any other text as the name of a session.
  const file = path !== undefined && /\.jsonl(?:\.gz)?$/.test(path) ? path : missingPath;
  return openSession(file, { missing: "empty" });
}
