import { readProcfs, startedAtInProcfs } from "./procfs.ts";
import { readPs } from "./ps.ts";

/** One process of this machine, as far as this user may see it. A pid and its start time together are never given twice. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** 0 where the system does not tell. */
  readonly sid: number;
  readonly startedAt: string;
  /** Has ended and waits to be collected by its parent; not alive. */
  readonly zombie: boolean;
  readonly name: string;
  /** What stdin, stdout and stderr are connected to, where the system tells. */
  readonly streams: readonly string[];
  /** The value of the variable that was asked for, in the environment the process was started with. */
  readonly tag: string | undefined;
}

/** Every process, once. Requests of the same moment share one look, because looking costs milliseconds. */
export function listProcesses(tagName: string): Promise<readonly ProcessRow[]> {
  const shared = looking.get(tagName);
  if (shared !== undefined) return shared;
  const look = new Promise<readonly ProcessRow[]>((resolve) => {
    setImmediate(() => {
      looking.delete(tagName);
      resolve(process.platform === "linux" ? readProcfs(tagName) : readPs());
    });
  });
  looking.set(tagName, look);
  return look;
}

const looking = new Map<string, Promise<readonly ProcessRow[]>>();

/** Whether that very process still runs. */
export function isAlive(row: Pick<ProcessRow, "pid" | "startedAt">): boolean {
  if (process.platform === "linux") return startedAtInProcfs(row.pid) === row.startedAt;
  return signal(row.pid, 0) !== "gone";
}

/** Sends a signal to a process, or to a group by its negative number. */
export function signal(pid: number, name: NodeJS.Signals | 0): "sent" | "gone" | "not-permitted" {
  try {
    process.kill(pid, name);
    return "sent";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM" ? "not-permitted" : "gone";
  }
}
