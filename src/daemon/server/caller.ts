import { readFileSync, realpathSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { FailureMode } from "../../sdk/internal.ts";

/** What a client says of itself, in headers; see the client page of the docs. */
export interface Caller {
  readonly protocol: string;
  readonly version: string;
  readonly hooksFile: string;
  readonly hostPid: number;
  readonly cwd: string | undefined;
  /** How many bytes of the body stand before the payload: the environment, each entry ended by NUL. */
  readonly envBytes: number;
  /** The client's own number, where its environment can be read from the system. */
  readonly pid: number;
  readonly onFailure: FailureMode | undefined;
}

/** Undefined when the request is a host's own, not a client's. */
export function callerOf({ headers }: Pick<IncomingMessage, "headers">): Caller | undefined {
  const told = headers["hookline-client"];
  if (typeof told !== "string") return undefined;
  const [protocol = "", version = "", hostPid, pid, envBytes, mode] = told.split(" ");
  return {
    protocol,
    version,
    hostPid: number(hostPid),
    pid: number(pid),
    envBytes: number(envBytes),
    onFailure: mode === "block" || mode === "continue" ? mode : undefined,
    hooksFile: text(headers["hookline-file"]) ?? "",
    cwd: text(headers["hookline-cwd"]),
  };
}

/** Contract: undefined when that process is not a client of ours, so that nobody is answered with a stranger's environment. */
export function environmentOf(pid: number): string | undefined {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("hookline-client")) return undefined;
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return undefined; // gone, another user's, or a system without /proc
  }
}

const mostSeen = 1_000;

/** Clients of one host are all where the first one is: what could be seen once is not looked at again before a handler asks. */
export function seesEnvironments(): (caller: Caller) => boolean {
  const seen = new Set<number>();
  return ({ pid, hostPid }) => {
    if (seen.has(hostPid)) return true;
    if (environmentOf(pid) === undefined) return false;
    if (seen.size >= mostSeen) seen.clear();
    if (hostPid > 0) seen.add(hostPid);
    return true;
  };
}

/** Whether a path leads to this very file; a link may point elsewhere since the daemon was started. */
export function leadsTo(path: string, file: string): boolean {
  try {
    return path === file || realpathSync(path) === file;
  } catch {
    return false; // it is gone: whoever calls it in process says so
  }
}

/** Header values come as single bytes; paths are UTF-8. */
function text(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? Buffer.from(value, "latin1").toString("utf8") : undefined;
}

function number(value: string | undefined): number {
  const read = Number(value ?? 0);
  return Number.isSafeInteger(read) && read > 0 ? read : 0;
}
