import { join } from "node:path";
import { lifeOf, ownOwner, processStart, readPrivate, replaceFile } from "../files/index.ts";
import { appKey } from "../sdk/index.ts";
import { daemonFolder, type Env } from "./folder.ts";

/** What a running daemon says of itself, for clients and for people. */
export interface DaemonRecord {
  readonly pid: number;
  /** When the process started, in the system's spelling: a number alone is given again. */
  readonly start: string;
  readonly port: number;
  readonly version: string;
  readonly token: string;
  /** Every answer to a client carries it, so that a stranger on the port cannot answer for us. */
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

const mark = "hookline/1";

export function recordPath(hooksFile: string, env: Env): string {
  return join(daemonFolder(hooksFile, env), "record");
}

/** Lines, not JSON: a shell reads it without another program. */
export async function writeRecord(record: DaemonRecord, env: Env): Promise<void> {
  const { pid, start, port, version, token, secret, sourceHash, since, hooksFile } = record;
  const key = appKey(hooksFile);
  const first = [mark, pid, start || "-", port, key, token, secret, version, sourceHash || "-", since].join(" ");
  await replaceFile(
    recordPath(record.hooksFile, env),
    `${[first, record.node, record.socket, record.hooksFile].join("\n")}\n`,
  );
}

/**
 * The record of a daemon that is alive.
 * Contract: a link, another user's file or one that others may write is `file/unsafe`; what a dead process left, and a number that
 * was given to another process since, count as none.
 */
export async function readRecord(hooksFile: string, env: Env): Promise<DaemonRecord | undefined> {
  const bytes = await readPrivate(recordPath(hooksFile, env));
  const record = bytes === undefined ? undefined : parse(bytes.toString("utf8"));
  return record !== undefined && isAlive(record) ? record : undefined;
}

export function isAlive({ pid, start }: { readonly pid: number; readonly start: string }): boolean {
  return lifeOf({ ...ownOwner(), pid, start: startTag(start) }) === "alive";
}

/** This process, as a record names it. */
export function ownStart(): string {
  return startTag(processStart(process.pid) ?? "");
}

function startTag(start: string): string {
  return start === "-" ? "" : start.replace(/[^0-9a-zA-Z]/g, "");
}

function parse(text: string): DaemonRecord | undefined {
  const [first = "", node = "", socket = "", hooksFile = ""] = text.split("\n");
  const [given, pid, start, port, _key, token, secret, version, sourceHash, since] = first.split(" ");
  if (given !== mark || start === undefined || version === undefined || since === undefined) return undefined;
  if (token === undefined || secret === undefined || sourceHash === undefined) return undefined;
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
