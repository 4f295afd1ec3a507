import { randomBytes } from "node:crypto";
import {
  answerProof,
  type DaemonRecord,
  type HomeSource,
  isAnswerProof,
  isFileProblem,
  proofHeaders,
  readDaemonRecord,
  readState,
} from "../../../files/internal.ts";
import { type HttpHook, isObject } from "../../../protocol/internal.ts";
import { type Limit, waitFor } from "../run-limits.ts";
import { type Ran, unanswered } from "../runner-result.ts";
import type { Resolve, UrlPolicy } from "./destination.ts";

export interface HttpCall extends Limit {
  /** The payload as JSON, without a newline. */
  readonly body: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policy: HttpPolicy;
  readonly version: string;
  /** Where the records of daemons are; this process's own places by default. */
  readonly home?: HomeSource;
  /** Finds a name's addresses; the system's own way unless given. Asked at most once. */
  readonly resolve?: Resolve;
}

export interface HttpPolicy extends UrlPolicy {
  /** Variables that headers may name; `null` restricts nothing. */
  readonly allowedEnvVars: readonly string[] | null;
}

/** Contract: resolves by the deadline whatever the server does, name lookup and the last byte included. */
export async function runHttp(hook: HttpHook, call: HttpCall): Promise<Ran> {
  // Loaded when the first http hook runs: network code is a large part of what importing the engine would cost.
  const waited = await waitFor(async (signal) => {
    const { post } = await import("./post.ts");
    return post(hook, call, signal);
  }, call);
  return waited.by === "answered" ? waited.value : unanswered(waited, call);
}

/** How an http entry that `hookline install` wrote is called: only the daemon of that app gets the token, and only it answers. */
export interface OwnDaemon {
  /** Asks for the proof. */
  readonly header: readonly [name: string, value: string];
  /** Called once the connection is there. Undefined when the process that listens is the daemon; else why nothing is sent. */
  refuses(): Promise<string | undefined>;
  proves(status: number, body: string, proof: unknown): boolean;
}

/** Undefined when the URL is not that of an app's daemon. */
export async function ownDaemon(url: URL, home: HomeSource): Promise<OwnDaemon | undefined> {
  const [, key] = /^\/v1\/hook\/([0-9a-f]{32})$/.exec(url.pathname) ?? [];
  if (key === undefined || !isLoopback(url.hostname)) return undefined;
  // Newer entries say it themselves; an older one has the port that was chosen for the app.
  if (!url.searchParams.has("daemon") && (await chosenPort(key, home)) !== Number(url.port)) return undefined;
  const challenge = randomBytes(32).toString("hex");
  let record: DaemonRecord | undefined;
  return {
    header: [proofHeaders.challenge, challenge],
    async refuses() {
      try {
        record = await readDaemonRecord(key, home);
      } catch (error) {
        if (!isFileProblem(error)) throw error;
        return error.message;
      }
      if (record === undefined) return "the daemon does not run; nothing was sent to what listens on its port";
      const isThere = url.hostname === "127.0.0.1" && record.port === Number(url.port);
      return isThere ? undefined : "the daemon listens elsewhere; nothing was sent to what listens on this port";
    },
    proves: (status, body, proof) =>
      record !== undefined && isAnswerProof(proof, answerProof(record.secret, challenge, status, body)),
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

async function chosenPort(key: string, home: HomeSource): Promise<number | undefined> {
  try {
    const bytes = await readState(["daemon", key, "endpoint.json"], home);
    const endpoint: unknown = JSON.parse(bytes?.toString("utf8") ?? "{}");
    const port = isObject(endpoint) ? endpoint["port"] : undefined;
    return typeof port === "number" ? port : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // cut short by a power cut: the daemon chooses another
    throw error;
  }
}
