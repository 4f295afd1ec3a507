import { setTimeout as sleep } from "node:timers/promises";
import { familyOf, type Leader, marksOf } from "./family.ts";
import type { Leak } from "./finished.ts";
import { isAlive, listProcesses, type ProcessRow, signal } from "./processes.ts";

export interface Tree extends Leader {
  /** Whether the leader has exited; that a signal was sent to it says nothing. */
  readonly exited: () => boolean;
  readonly exit: Promise<unknown>;
}

/**
 * Ends a process and all that came from it: asked first, killed after the grace, then looked for by their tag, because a signal
 * to a group misses what left the group. Resolves with what still lives, at most `graceMs` plus about half a second later.
 */
export async function endTree(tree: Tree, graceMs: number): Promise<Leak[]> {
  const graceEnd = performance.now() + graceMs;
  const tagName = tree.tag?.name ?? "";
  // Looked up before the first signal, while parents still point to their children: an orphan without a tag is nobody's.
  const rows = await listProcesses(tagName);
  const marks = marksOf(tree, rows);
  let family = familyOf(marks, rows, []);
  signal(-tree.pid, "SIGTERM");
  for (const row of outside(tree, family)) signalRow(row, "SIGTERM");

  while (performance.now() < graceEnd && !(tree.exited() && !family.some(isAlive))) {
    await Promise.race([
      sleep(Math.min(lookEveryMs, graceEnd - performance.now())),
      ...(tree.exited() ? [] : [tree.exit]),
    ]);
  }

  const sweepEnd = performance.now() + sweepMs;
  const refused = new Set<number>();
  do {
    if (!tree.exited()) signal(-tree.pid, "SIGKILL");
    family = familyOf(marks, await listProcesses(tagName), family);
    if (family.length === 0) break;
    if (family.some((row) => row.pgid === tree.pid)) signal(-tree.pid, "SIGKILL");
    for (const row of family) if (signalRow(row, "SIGKILL") === "not-permitted") refused.add(row.pid);
    await sleep(lookEveryMs);
    // What forks faster than it dies is met again by the next look.
  } while (performance.now() < sweepEnd);

  return family
    .filter(isAlive)
    .map(({ pid, name }) => ({ why: refused.has(pid) ? "not-permitted" : "survived", pid, name }));
}

const lookEveryMs = 20;
const sweepMs = 500;

function outside(tree: Leader, family: readonly ProcessRow[]): ProcessRow[] {
  return family.filter((row) => row.pgid !== tree.pid);
}

function signalRow(row: ProcessRow, name: NodeJS.Signals): "sent" | "gone" | "not-permitted" {
  return isAlive(row) ? signal(row.pid, name) : "gone";
}
