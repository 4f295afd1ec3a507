import { createHmac, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { readState } from "./private-file.ts";
import { livenessOf, ownIdentity } from "./process-identity.ts";
import { type HomeSource, statePath } from "./state-folder.ts";

/** What a running daemon publishes about itself for its callers. */
export interface DaemonRecord {
  readonly pid: number;
  /** When the process started, in the system's spelling: a number alone is given again. */
  readonly start: string;
  readonly port: number;
  readonly version: string;
  readonly token: string;
  /** Every answer proves that it is known, so that a stranger on the port cannot answer for us. */
  readonly secret: string;
  readonly sourceHash: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The program that runs this daemon, and so can answer when the daemon cannot. */
  readonly node: string;
  /** Empty: there is none. */
  readonly socket: string;
  readonly hooksFile: string;
}

/** The first word of a record. */
export const daemonRecordMark = "hookline/1";

/** The folder of the daemon of the app with this key. Touches nothing. */
export function daemonFolderOf(key: string, home: HomeSource): string {
  return join(statePath(home), "daemon", key);
}

/**
 * The record of the daemon of the app with this key, if it is alive.
 * Contract: a link, another user's file or folder, or one that others may write is `file/unsafe`; what a dead process left, and a number that
 * was given to another process since, count as none.
 */
export async function readDaemonRecord(key: string, home: HomeSource): Promise<DaemonRecord | undefined> {
  const bytes = await readState(["daemon", key, "record"], home);
  const record = bytes === undefined ? undefined : parse(bytes.toString("utf8"));
  return record !== undefined && isDaemonAlive(record) ? record : undefined;
}

/** Whether it is that very process, and not another one with its number. */
export function isDaemonAlive({ pid, start }: { readonly pid: number; readonly start: string }): boolean {
  return livenessOf({ ...ownIdentity(), pid, start: startTag(start) }) === "alive";
}

/** As a record spells the start of a process. */
export function startTag(start: string): string {
  return start === "-" ? "" : start.replace(/[^0-9a-zA-Z]/g, "");
}

function parse(text: string): DaemonRecord | undefined {
  const [first = "", node = "", socket = "", hooksFile = ""] = text.split("\n");
  const [mark, pid, start = "", port, _key, token = "", secret = "", version = "", sourceHash = "", since] =
    first.split(" ");
  if (mark !== daemonRecordMark || since === undefined) return undefined;
  return {
    pid: Number(pid),
    start: start === "-" ? "" : start,
    port: Number(port),
    version,
    token,
    secret,
    sourceHash: sourceHash === "-" ? "" : sourceHash,
    since: Number(since),
    node,
    socket,
    hooksFile,
  };
}

/** The headers by which a caller of the daemon asks for a proof, and gets it. */
export const proofHeaders = { challenge: "hookline-challenge", proof: "hookline-proof" } as const;

/** Proves that the writer of this answer knows the secret of the daemon's record, without revealing it. */
export function answerProof(secret: string, challenge: string, status: number, body: string): string {
  return createHmac("sha256", secret).update(`${challenge}\n${status}\n${body}`).digest("hex");
}

export function isAnswerProof(given: unknown, expected: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
