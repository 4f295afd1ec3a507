import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { carriesTag, familyMarks, familyOf, type ProcessLeader } from "./process-family.ts";
import { type Processes, type ProcessRow, processes } from "./process-list.ts";
import type { SurvivingProcess } from "./process-run.ts";

export interface Tree extends ProcessLeader {
  /** Whether the leader has exited; that a signal was sent to it says nothing. */
  readonly exited: () => boolean;
  readonly exit: Promise<unknown>;
}

/** Somebody to signal: a process, or a whole group by its negative number. */
type Target = Pick<ProcessRow, "pid" | "pgid" | "startedAt" | "name">;

/**
 * Ends a process and all that came from it: asked first, killed after the grace, then looked for by their marks, because a signal
 * to a group misses what left the group. Resolves with what still lives, at most `graceMs` plus about half a second later, or the time
 * that a busy machine needs for a few looks.
 */
export async function endTree(tree: Tree, graceMs: number, system: Processes = processes): Promise<SurvivingProcess[]> {
  const graceEnd = performance.now() + graceMs;
  const tagName = tree.tag?.name ?? "";
  // Looked up before the first signal, while parents still point to their children: an orphan without a mark is nobody's.
  const rows = await system.list(tagName);
  const marks = familyMarks(tree, rows);
  // Where nothing can be seen, the group is all there is to go by.
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
    // What forks faster than it dies is met again by the next look.
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
/** One look tells what to kill, the next what was born meanwhile, another one that all are gone. */
const minLooks = 5;

async function exitOr(tree: Tree, ms: number): Promise<void> {
  await (tree.exited() ? sleep(ms) : Promise.race([tree.exit, sleep(ms)]));
}

/** The same promise as `endTree` with what Windows has for it: `taskkill`, which walks the tree by itself. */
export async function endTreeOnWindows(tree: Tree, graceMs: number): Promise<SurvivingProcess[]> {
  const pid = String(tree.pid);
  const graceEnd = performance.now() + graceMs;
  // Without /F a program is asked by a message to its window. One without a window cannot be asked and need not be waited for.
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

/** Whether a process that has exited left others in its group. One question to the system; nearly always the answer is no. */
export function hasSurvivors(pid: number, system: Processes = processes): boolean {
  return process.platform !== "win32" && system.signal(-pid, 0) !== "gone";
}

/**
 * Who they are. What ends within a moment, as the other end of a pipe does, is not counted. Nor is a process that has both left the group and
 * dropped the tag: it means to outlive the run, as the starter of a daemon does.
 */
export async function survivorsOf(leader: ProcessLeader, system: Processes = processes): Promise<SurvivingProcess[]> {
  await sleep(momentMs);
  if (!hasSurvivors(leader.pid, system)) return [];
  // Its pipes are gone with it; group, session and tag remain.
  const marks = { ...leader, streams: new Set<string>() };
  const rows = await system.list(leader.tag?.name ?? "");
  return familyOf(marks, rows, [])
    .filter((row) => row.pgid === leader.pid || leader.tag === undefined || carriesTag(row.tag, leader.tag))
    .filter(system.isAlive)
    .map(({ pid, name }) => ({ why: "left-behind", pid, name }));
}

const momentMs = 20;
