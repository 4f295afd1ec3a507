import type { Session } from "../../sessions/internal.ts";
import type { LogRecord } from "../log/logger.ts";
import type { StateAccess } from "../state/state.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import type { FailureMode } from "./registration.ts";

/** What the program that starts an app lends it: `run`, the daemon, a test. */
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
  /** Where people read of trouble at once: one message per call, on one line or with a stack below it. */
  readonly complain: (line: string) => void;
  /** The mode that was written into the settings entry; the stricter of the two holds. */
  readonly onFailure?: FailureMode;
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
