import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { ps } from "./ps.ts";

export const signal: Processes["signal"] = (pid, name) => {
  try {
    process.kill(pid, name);
    return "sent";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM" ? "not-permitted" : "gone";
  }
};

/** The processes of Linux, read from `/proc`. Where that is hidden or absent the list is shorter or empty. */
export const procfs: Processes = { list, isAlive, signal };

/** Requests of the same moment share one look, because a look costs milliseconds. */
function list(tagName: string): Promise<readonly ProcessRow[]> {
  const shared = looking.get(tagName);
  if (shared !== undefined) return shared;
  const look = new Promise<readonly ProcessRow[]>((resolve) => {
    setImmediate(() => {
      looking.delete(tagName);
      resolve(readAll(tagName));
    });
  });
  looking.set(tagName, look);
  return look;
}

const looking = new Map<string, Promise<readonly ProcessRow[]>>();

function isAlive({ pid, startedAt }: Pick<ProcessRow, "pid" | "startedAt">): boolean {
  const stat = readStat(pid);
  return stat !== undefined && !stat.zombie && stat.startedAt === startedAt;
}

function readAll(tagName: string): ProcessRow[] {
  const mark = Buffer.from(`\0${tagName}=`);
  const rows: ProcessRow[] = [];
  for (const name of listProc()) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    const stat = readStat(pid);
    if (stat === undefined) continue;
    if (stat.zombie) rows.push({ ...stat, streams: [], tag: undefined });
    else rows.push({ ...stat, streams: streamsOf(pid), tag: tagIn(read(`/proc/${pid}/environ`), mark) });
  }
  return rows;
}

function listProc(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    // No `/proc` in this sandbox: then nothing can be seen, and groups are all there is.
    return [];
  }
}

function readStat(pid: number): Omit<ProcessRow, "tag" | "streams"> | undefined {
  const text = read(`/proc/${pid}/stat`)?.toString("latin1");
  if (text === undefined) return undefined;
  // The name stands in parentheses and may itself hold blanks and parentheses.
  const nameEnd = text.lastIndexOf(")");
  const [state = "", ppid, pgid, sid, ...rest] = text.slice(nameEnd + 2).split(" ");
  return {
    pid,
    ppid: Number(ppid),
    pgid: Number(pgid),
    sid: Number(sid),
    startedAt: rest[startTimeField] ?? "",
    zombie: state === "Z" || state === "X",
    name: text.slice(text.indexOf("(") + 1, nameEnd),
  };
}

/** `starttime` is field 22 of the line; the first of `rest` is field 7. */
const startTimeField = 22 - 7;

function streamsOf(pid: number): string[] {
  return [0, 1, 2].flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      // Closed, or the process is gone or somebody else's.
      return [];
    }
  });
}

function tagIn(environ: Buffer | undefined, mark: Buffer): string | undefined {
  if (environ === undefined) return undefined;
  const first = environ.subarray(0, mark.length - 1).equals(mark.subarray(1));
  const at = first ? -1 : environ.indexOf(mark);
  if (!first && at < 0) return undefined;
  const from = at + mark.length;
  const to = environ.indexOf(0, from);
  return environ.toString("utf8", from, to < 0 ? environ.length : to);
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // The process is gone or somebody else's, which is the answer.
    return undefined;
  }
}

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
