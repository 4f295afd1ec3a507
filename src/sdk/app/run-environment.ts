import { resolve } from "node:path";
import type { Session } from "../../sessions/internal.ts";
import type { LogRecord } from "../log/logger.ts";
import type { StateAccess } from "../state/state.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import type { AppOptions } from "./app-definition.ts";
import type { FailureMode } from "./registration.ts";

/** What the program that runs an app provides: `run`, the daemon, a test. */
export interface RunEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the event happens when its payload does not say. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly replay: boolean;
  readonly now: () => number;
  /** Contract: an empty session when there is no such file. */
  readonly openTranscript: (path: string | undefined) => Promise<unknown>;
  /** Takes the place of files. */
  readonly state?: StateAccess;
  /** Members of the context in place of the app's own, for tests. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** The hooks file, so that a worker can run its tasks. */
  readonly file?: string;
  /** Takes the place of the app's own backend. */
  readonly tasks?: TaskBackend;
  /** Undefined: nothing is logged. */
  readonly log?: (record: LogRecord) => void;
  /** Reports trouble to the user at once: one message per call, on one line or with a stack below it. */
  readonly complain: (line: string) => void;
  /** The mode that was written into the settings entry; the stricter of the two holds. */
  readonly onFailure?: FailureMode;
}

interface RunOptions extends Pick<RunEnvironment, "env" | "cwd" | "complain"> {
  readonly file?: string | undefined;
  readonly onFailure?: FailureMode | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The environment of one event outside of tests and replays. What the app logs is added to `records`. */
export function runEnvironment(
  { options: { log } }: { readonly options: AppOptions },
  { file, onFailure, signal, ...given }: RunOptions,
  records: LogRecord[],
): RunEnvironment {
  let own = signal;
  return {
    ...given,
    /** Made for those who ask. */
    get signal() {
      own ??= new AbortController().signal;
      return own;
    },
    replay: false,
    now: Date.now,
    openTranscript,
    ...(file === undefined ? {} : { file: resolve(file) }),
    ...(log === false ? {} : { log: (record: LogRecord) => void records.push(record) }),
    ...(onFailure === undefined ? {} : { onFailure }),
  };
}

/** Below a file there is nothing, on every system. */
const nowhere = `${process.execPath}/no-transcript.jsonl`;

/**
 * The session of a transcript, as handlers see it: without entries when no path is given, when it names none, and when there is no such
 * file. The reader is loaded for those who ask only.
 */
export async function openTranscript(path: string | undefined): Promise<Session> {
  const { openSession } = await import("../../sessions/internal.ts");
  // Other words would be looked up as the name of a session, which no host means.
  const file = path !== undefined && /\.jsonl(?:\.gz)?$/.test(path) ? path : nowhere;
  return openSession(file, { missing: "empty" });
}
