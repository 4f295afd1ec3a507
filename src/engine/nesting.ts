import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { basename } from "node:path";

/**
 * How deep this process is in hooks, by marks that stay when a hook clears its environment. Linux only; elsewhere 0.
 *
 * A hook gets an open file beside its streams whose position is its depth: it stays across `env -i`, `setsid` and shells that send
 * themselves into the background. Where a program closed it, the processes this one was started by are asked: for the variable they were
 * started with, and for how many sessions a JavaScript runtime began.
 */
export function nesting(): { readonly depth: number; readonly sessions: number } {
  if (process.platform !== "linux") return { depth: 0, sessions: 0 };
  const line = ancestry();
  const sessions = line.filter(({ pid, sid }, index) => pid === sid && isRuntime(line[index + 1]?.pid)).length;
  return { depth: Math.max(markedDepth(), ...line.map(({ pid }) => startedDepth(pid))), sessions };
}

/** A file that every process may read and that nothing else keeps open. */
const file = "/proc/version";
const step = 10;
const deepestMark = 9;

/** An open file that marks a hook of this depth, for its process to inherit; the caller closes it. Undefined where there is none. */
export function openDepthMark(depth: number): number | undefined {
  if (process.platform !== "linux" || depth < 1) return undefined;
  try {
    const mark = openSync(file, "r");
    readSync(mark, Buffer.alloc(step * deepestMark), 0, step * Math.min(depth, deepestMark), null);
    return mark;
  } catch (error) {
    // No `/proc` in this sandbox: the variable and the limits of time are what is left.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

export function closeDepthMark(mark: number | undefined): void {
  if (mark !== undefined) closeSync(mark);
}

function markedDepth(): number {
  const marks = entries("/proc/self/fd").filter((name) => link(`/proc/self/fd/${name}`) === file);
  const positions = marks.map((name) => Number(/^pos:\s*(\d+)/.exec(text(`/proc/self/fdinfo/${name}`))?.[1] ?? 0));
  return Math.max(0, ...positions.map((position) => Math.floor(position / step)));
}

interface Row {
  readonly pid: number;
  readonly sid: number;
}

const mostAncestors = 200;

/** This process and those it was started by. */
function ancestry(): readonly Row[] {
  const rows: Row[] = [];
  for (let pid = process.pid; pid > 1 && rows.length < mostAncestors; ) {
    const stat = text(`/proc/${pid}/stat`);
    // The name stands in parentheses and may itself hold blanks and parentheses.
    const [, ppid, , sid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (ppid === undefined || sid === undefined) break;
    rows.push({ pid, sid: Number(sid) });
    pid = Number(ppid);
  }
  return rows;
}

function isRuntime(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  const program = link(`/proc/${pid}/exe`);
  return program === process.execPath || /^(?:node|bun|deno|electron)/.test(basename(program));
}

/** The depth in the environment that a process was started with. */
function startedDepth(pid: number): number {
  const depth = Number(/(?:^|\0)HOOKLINE_DEPTH=(\d{1,3})(?:\0|$)/.exec(text(`/proc/${pid}/environ`))?.[1] ?? 0);
  return Number.isInteger(depth) ? depth : 0;
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Hidden in this sandbox, which is as good as empty.
    return [];
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Gone, or of another user.
    return "";
  }
}

function text(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // Gone, or of another user.
    return "";
  }
}
