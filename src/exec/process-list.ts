import { procfs } from "./procfs.ts";
import { ps } from "./ps.ts";

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

/** What the system tells about processes, and does to them. */
export interface Processes {
  /** Every process, with its value of the variable `tagName`. Empty where nothing can be seen. */
  list(tagName: string): Promise<readonly ProcessRow[]>;
  /** Whether that very process still runs. */
  isAlive(row: Pick<ProcessRow, "pid" | "startedAt">): boolean;
  /** Sends a signal to a process, or to a group by its negative number. */
  signal(pid: number, name: NodeJS.Signals | 0): "sent" | "gone" | "not-permitted";
}

/** The processes of the system this runs on. */
export const processes: Processes = process.platform === "linux" ? procfs : ps;
