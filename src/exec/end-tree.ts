import { setTimeout as sleep } from "node:timers/promises";
import type { Leak } from "./finished.ts";
import { familyOf, type Leader, marksOf } from "./process-family.ts";
import { type Processes, type ProcessRow, processes } from "./process-list.ts";

export interface Tree extends Leader {
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
export async function endTree(tree: Tree, graceMs: number, system: Processes = processes): Promise<Leak[]> {
  const graceEnd = performance.now() + graceMs;
  const tagName = tree.tag?.name ?? "";
  // Looked up before the first signal, while parents still point to their children: an orphan without a mark is nobody's.
  const rows = await system.list(tagName);
  const marks = marksOf(tree, rows);
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
  } while (performance.now() < sweepEnd || looks < fewestLooks);

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
const fewestLooks = 5;

async function exitOr(tree: Tree, ms: number): Promise<void> {
  await (tree.exited() ? sleep(ms) : Promise.race([tree.exit, sleep(ms)]));
}
