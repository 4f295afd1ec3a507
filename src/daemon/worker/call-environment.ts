import { readFileSync } from "node:fs";
import { attempt } from "../../protocol/internal.ts";
import { type FailureMode, type LogRecord, openTranscript, type RunEnvironment } from "../../sdk/internal.ts";
import type { HookRequest, WorkerInput } from "./messages.ts";

/**
 * What handlers of one call can ask for. Most ask for little, so it is made on demand. A class, because getters made for each call cost
 * more than all they return.
 */
export class CallEnvironment implements RunEnvironment {
  readonly cwd: string;
  readonly file: string;
  readonly replay = false;
  readonly now: () => number = Date.now;
  readonly openTranscript = openTranscript;
  readonly log?: (record: LogRecord) => void;
  readonly onFailure?: FailureMode;
  readonly complain: (line: string) => void;
  readonly #request: HookRequest;
  readonly #abort: () => AbortController;
  #env: RunEnvironment["env"] | undefined;

  /** `records` takes what the app logs; undefined: it logs nothing. */
  constructor(
    request: HookRequest,
    { cwd, file }: WorkerInput,
    abort: () => AbortController,
    complain: (line: string) => void,
    records: LogRecord[] | undefined,
  ) {
    this.#request = request;
    this.#abort = abort;
    this.cwd = request.cwd ?? cwd;
    this.file = file;
    this.complain = complain;
    if (records !== undefined) this.log = (record) => void records.push(record);
    if (request.onFailure !== undefined) this.onFailure = request.onFailure;
  }

  get env(): RunEnvironment["env"] {
    if (this.#env !== undefined) return this.#env;
    const { env, envOf } = this.#request;
    const block = env ?? (envOf > 0 ? environmentOf(envOf) : undefined);
    this.#env = block === undefined ? process.env : readEnv(block);
    return this.#env;
  }

  get signal(): AbortSignal {
    return this.#abort().signal;
  }
}

/** Contract: undefined when that process is not a client of ours, so that no caller is answered with a stranger's environment. */
export function environmentOf(pid: number): string | undefined {
  // Both fail when it has exited, belongs to another user, or the system has no /proc.
  const commandLine = attempt(() => readFileSync(`/proc/${pid}/cmdline`, "latin1"));
  if (!commandLine?.includes("hookline-client")) return undefined;
  return attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8"));
}

/** Entries end with NUL; a shell cannot hold NUL and ends them with \x01. */
function readEnv(block: string): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  for (const entry of block.split(block.includes("\0") ? "\0" : "\x01")) {
    const at = entry.indexOf("=", 1);
    if (at > 0) env[entry.slice(0, at)] = entry.slice(at + 1);
  }
  return env;
}
