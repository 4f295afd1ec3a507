import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** One process on this machine, as far as this user may see it. No two processes share both pid and start time. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** 0 where the system does not report it. */
  readonly sid: number;
  readonly startedAt: string;
  /** Has ended and waits for its parent to collect it; not alive. */
  readonly zombie: boolean;
  readonly name: string;
  /** What stdin, stdout and stderr are connected to, where the system reports it. */
  readonly streams: readonly string[];
  /** The value of the requested variable in the environment the process was started with. */
  readonly tag: string | undefined;
}

/** Reads the process table and sends signals. */
export interface Processes {
  /** Every process, with its value of the variable `tagName`. Empty where the table cannot be read. */
  list(tagName: string): Promise<readonly ProcessRow[]>;
  /** Whether exactly this process is still running. */
  isAlive(row: Pick<ProcessRow, "pid" | "startedAt">): boolean;
  /** Sends a signal to a process, or to a group by its negative number. */
  signal(pid: number, name: NodeJS.Signals | 0): "sent" | "gone" | "not-permitted";
}

const signal: Processes["signal"] = (pid, name) => {
  try {
    process.kill(pid, name);
    return "sent";
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM" ? "not-permitted" : "gone";
  }
};

/** The processes of Linux, read from `/proc`. Where `/proc` is hidden or absent the list is shorter or empty. */
export const procfs: Processes = { list: listFromProc, isAlive: isAliveInProc, signal };

/** The processes of systems without `/proc`, from `ps`. It does not print environments, so rows have no tag. */
export const ps: Processes = { list: listWithPs, isAlive: ({ pid }) => signal(pid, 0) !== "gone", signal };

/** The processes of the current platform. */
export const processes: Processes = process.platform === "linux" ? procfs : ps;

/** Whether a process that has exited left others in its group. One system call; the answer is almost always no. */
export function hasSurvivors(pid: number, system: Processes = processes): boolean {
  return process.platform !== "win32" && system.signal(-pid, 0) !== "gone";
}

const pendingLists = new Map<string, Promise<readonly ProcessRow[]>>();

/** Calls in the same tick share one reading, because reading takes milliseconds. */
function listFromProc(tagName: string): Promise<readonly ProcessRow[]> {
  const pending = pendingLists.get(tagName);
  if (pending !== undefined) return pending;
  const list = new Promise<readonly ProcessRow[]>((resolve) => {
    setImmediate(() => {
      pendingLists.delete(tagName);
      resolve(readRows(tagName));
    });
  });
  pendingLists.set(tagName, list);
  return list;
}

function readRows(tagName: string): ProcessRow[] {
  const rows: ProcessRow[] = [];
  // Without `/proc` the caller falls back to process groups.
  for (const name of attempt(() => readdirSync("/proc")) ?? []) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    const stat = readStat(pid);
    if (stat === undefined) continue;
    const environ = attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8"));
    rows.push({ ...stat, streams: streamsOf(pid), tag: tagIn(environ ?? "", tagName) });
  }
  return rows;
}

function isAliveInProc({ pid, startedAt }: Pick<ProcessRow, "pid" | "startedAt">): boolean {
  const stat = readStat(pid);
  return stat !== undefined && !stat.zombie && stat.startedAt === startedAt;
}

function readStat(pid: number): Omit<ProcessRow, "tag" | "streams"> | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (text === undefined) return undefined;
  // The name is in parentheses and may itself contain spaces and parentheses.
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
  return [0, 1, 2].flatMap((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? []);
}

function tagIn(environ: string, tagName: string): string | undefined {
  const [, tag] = `\0${environ}`.split(`\0${tagName}=`, 2);
  return tag?.split("\0", 1)[0];
}

/** Undefined when the process has ended or belongs to another user. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function listWithPs(): Promise<ProcessRow[]> {
  return new Promise((resolve) => {
    const options = { timeout: psTimeoutMs, maxBuffer: 16 * 2 ** 20, env: { PATH: "/bin:/usr/bin", LC_ALL: "C" } };
    // A `ps` that fails or hangs gives an empty list: the caller falls back to process groups.
    execFile("ps", psArguments(), options, (error, stdout) => resolve(error === null ? parsePs(stdout) : []));
  });
}

const psTimeoutMs = 300;

/** One `-o` per column: the only portable way to ask for empty headings. */
function psArguments(): string[] {
  return ["-A", ...["pid", "ppid", "pgid", "stat", "lstart", "comm"].flatMap((column) => ["-o", `${column}=`])];
}

export function parsePs(stdout: string): ProcessRow[] {
  return stdout.split("\n").flatMap((line) => {
    const [, pid, ppid, pgid, state = "", startedAt = "", name = ""] = psLine.exec(line) ?? [];
    if (pid === undefined) return [];
    const ids = { pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), sid: 0 };
    return [{ ...ids, startedAt, zombie: state.startsWith("Z"), name, streams: [], tag: undefined }];
  });
}

/** `lstart` is a date of five fields. */
const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*?)\s*$/;
