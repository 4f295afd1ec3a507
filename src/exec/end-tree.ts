import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { hasSurvivors, type Processes, type ProcessRow, processes } from "./process-list.ts";
import type { SurvivingProcess, Tag } from "./process-run.ts";

interface Tree extends ProcessLeader {
  /** Whether the leader has exited; a sent signal is no proof of that. */
  readonly exited: () => boolean;
  readonly exit: Promise<unknown>;
}

/** What to signal: a process, or a whole group by its negative number. */
type Target = Pick<ProcessRow, "pid" | "pgid" | "startedAt" | "name">;

/**
 * Ends a process and all its descendants: SIGTERM first, SIGKILL after the grace period, then a search by tag, session and pipes, because
 * a signal to a group misses processes that left it. Resolves with the survivors, at most `graceMs` plus about half a second later, or
 * the time a busy machine needs to list its processes a few times.
 */
export async function endTree(tree: Tree, graceMs: number, system: Processes = processes): Promise<SurvivingProcess[]> {
  const graceEnd = performance.now() + graceMs;
  const tagName = tree.tag?.name ?? "";
  // Listed before the first signal, while children still have their parents: an orphan without a tag cannot be attributed.
  const rows = await system.list(tagName);
  const marks = familyMarks(tree, rows);
  // Without a process table only the group is known.
  const blind = rows.length === 0;
  const group: Target = { pid: -tree.pid, pgid: tree.pid, startedAt: "", name: "" };
  const isAlive = (one: Target): boolean => (one.pid < 0 ? system.signal(one.pid, 0) !== "gone" : system.isAlive(one));
  const send = (one: Target, name: NodeJS.Signals) => (isAlive(one) ? system.signal(one.pid, name) : "gone");

  let family = familyOf(marks, rows, []);
  let targets: readonly Target[] = blind ? [group] : family;
  system.signal(group.pid, "SIGTERM");
  for (const one of targets) if (one.pgid !== tree.pid) send(one, "SIGTERM");
  while (performance.now() < graceEnd && !(tree.exited() && !targets.some(isAlive))) {
    await exitOr(tree, Math.min(lookEveryMs, Math.max(0, graceEnd - performance.now())));
  }

  const sweepEnd = performance.now() + sweepMs;
  const refused = new Set<number>();
  let looks = 0;
  do {
    looks += 1;
    family = blind ? [] : familyOf(marks, await system.list(tagName), family);
    targets = (blind ? [group] : family).filter(isAlive);
    if (tree.exited() && targets.length === 0) return [];
    if (!tree.exited() || targets.some((one) => one.pgid === tree.pid)) system.signal(group.pid, "SIGKILL");
    for (const one of targets) if (send(one, "SIGKILL") === "not-permitted") refused.add(one.pid);
    // What forks faster than it is killed is found by the next list.
    await exitOr(tree, lookEveryMs);
  } while (performance.now() < sweepEnd || looks < minLooks);

  if (!tree.exited() && targets.length === 0) targets = [group];
  return targets.filter(isAlive).map(({ pid, name }) => ({
    why: refused.has(pid) ? "not-permitted" : "survived",
    pid: Math.abs(pid),
    name,
  }));
}

const lookEveryMs = 20;
const sweepMs = 500;
/** One list shows what to kill, the next what was started in the meantime, another that nothing is left. */
const minLooks = 5;

async function exitOr(tree: Tree, ms: number): Promise<void> {
  await (tree.exited() ? sleep(ms) : Promise.race([tree.exit, sleep(ms)]));
}

/** `endTree` for Windows: `taskkill` walks the tree by itself. */
export async function endTreeOnWindows(tree: Tree, graceMs: number): Promise<SurvivingProcess[]> {
  const pid = String(tree.pid);
  const graceEnd = performance.now() + graceMs;
  // Without /F a program is asked by a message to its window. One without a window cannot be asked, so there is no wait.
  const asked = await taskkill(["/T", "/PID", pid]);
  if (asked && !tree.exited()) await Promise.race([tree.exit, sleep(Math.max(0, graceEnd - performance.now()))]);
  if (tree.exited()) return [];
  await taskkill(["/T", "/F", "/PID", pid]);
  if (!tree.exited()) await Promise.race([tree.exit, sleep(settleMs)]);
  return tree.exited() ? [] : [{ why: "survived", pid: tree.pid, name: "" }];
}

const settleMs = 300;

function taskkill(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("taskkill", args, { timeout: settleMs, windowsHide: true }, (error) => resolve(error === null));
  });
}

/**
 * The processes it left. One that ends within a moment, such as the other end of a pipe, does not count, nor does one that has left the
 * group and dropped the tag: it is meant to outlive the run, as a daemon is.
 */
export async function survivorsOf(leader: ProcessLeader, system: Processes = processes): Promise<SurvivingProcess[]> {
  await sleep(momentMs);
  if (!hasSurvivors(leader.pid, system)) return [];
  // Its pipes are closed; group, session and tag remain.
  const marks = { ...leader, streams: new Set<string>() };
  const rows = await system.list(leader.tag?.name ?? "");
  return familyOf(marks, rows, [])
    .filter((row) => row.pgid === leader.pid || leader.tag === undefined || carriesTag(row.tag, leader.tag))
    .filter(system.isAlive)
    .map(({ pid, name }) => ({ why: "left-behind", pid, name }));
}

const momentMs = 20;

interface ProcessLeader {
  readonly pid: number;
  readonly tag: Tag | undefined;
}

/** What distinguishes the processes of a run from all others. */
interface FamilyMarks extends ProcessLeader {
  /** The ends of the leader's pipes, which only it and its descendants can hold. */
  readonly streams: ReadonlySet<string>;
}

export function familyMarks({ pid, tag }: ProcessLeader, rows: readonly ProcessRow[]): FamilyMarks {
  const streams = rows.find((row) => row.pid === pid)?.streams ?? [];
  return { pid, tag, streams: new Set(streams.filter((stream) => /^(socket|pipe):/.test(stream))) };
}

/**
 * The living processes of one run: those in the leader's group or session, those that carry its tag or hold its pipes, those known
 * from before, and all their descendants. A daemon that dropped all of that before the first list is not found.
 */
export function familyOf(marks: FamilyMarks, rows: readonly ProcessRow[], known: readonly ProcessRow[]): ProcessRow[] {
  const { pid, tag, streams } = marks;
  const knownBefore = new Set(known.map(identity));
  const children = childrenIn(rows);
  const ourselves = ancestorsOf(process.pid, rows);
  const family = new Set<ProcessRow>();
  const queue = rows.filter(
    (row) =>
      row.pid === pid ||
      row.pgid === pid ||
      row.sid === pid ||
      carriesTag(row.tag, tag) ||
      row.streams.some((stream) => streams.has(stream)) ||
      knownBefore.has(identity(row)),
  );
  for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
    // Whatever a tag or a pid says, this process and its ancestors are never ended.
    if (family.has(row) || ourselves.has(row.pid)) continue;
    family.add(row);
    queue.push(...(children.get(row.pid) ?? []));
  }
  return rows.filter((row) => family.has(row) && !row.zombie);
}

function childrenIn(rows: readonly ProcessRow[]): Map<number, ProcessRow[]> {
  const children = new Map<number, ProcessRow[]>(rows.map(({ ppid }) => [ppid, []]));
  for (const row of rows) children.get(row.ppid)?.push(row);
  return children;
}

function identity(row: ProcessRow): string {
  return `${row.pid} ${row.startedAt}`;
}

/** The pids of a process and its ancestors. */
function ancestorsOf(pid: number, rows: readonly ProcessRow[]): Set<number> {
  const parents = new Map(rows.map((row) => [row.pid, row.ppid]));
  const line = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && at > 0 && !line.has(at); at = parents.get(at))
    line.add(at);
  return line;
}

/** Whether a value found in an environment is this tag, or that of a run inside this run (`outer/inner`). */
function carriesTag(found: string | undefined, tag: Tag | undefined): boolean {
  if (found === undefined || tag === undefined) return false;
  return found === tag.value || found.startsWith(`${tag.value}/`);
}

/** The variable that marks everything a run of ours starts; nested runs are divided by `/`. */
export const runTag = "HOOKLINE_RUN";

/** A living process that carries a tag: left by a run that could not end it. */
interface Leftover extends Pick<ProcessRow, "pid" | "name" | "startedAt"> {
  /** The value of the tag, which identifies its run. */
  readonly value: string;
}

/**
 * Living processes whose tag begins with `valuePrefix`, this one and its ancestors apart. Linux only; elsewhere nothing is found.
 * A process left alive by a normal end carries its tag too: only the caller knows which runs ended normally.
 */
export async function findLeftovers(tagName: string, valuePrefix: string): Promise<Leftover[]> {
  const rows = await processes.list(tagName);
  const own = ancestorsOf(process.pid, rows);
  return rows.flatMap(({ pid, name, tag, startedAt }) =>
    tag?.startsWith(valuePrefix) && !own.has(pid) ? [{ pid, name, value: tag, startedAt }] : [],
  );
}

/** Kills leftovers, each only if it is still the same process. Returns those that could not be killed. */
export function endLeftovers(found: readonly Leftover[]): Leftover[] {
  return found.filter((one) => processes.isAlive(one) && processes.signal(one.pid, "SIGKILL") === "not-permitted");
}
