import { setTimeout as sleep } from "node:timers/promises";
import type { Leak } from "./finished.ts";
import { familyOf, type Leader } from "./process-family.ts";
import { type Processes, processes } from "./process-list.ts";
import { carries } from "./tag.ts";

/** Whether a process that has exited left others in its group. One question to the system; nearly always the answer is no. */
export function hasLeftOthers(pid: number, system: Processes = processes): boolean {
  return process.platform !== "win32" && system.signal(-pid, 0) !== "gone";
}

/**
 * Who they are. What ends within a moment, as the other end of a pipe does, is not counted. Nor is a process that has both left the group and
 * dropped the tag: it means to outlive the run, as the starter of a daemon does.
 */
export async function leftBehind(leader: Leader, system: Processes = processes): Promise<Leak[]> {
  await sleep(momentMs);
  if (!hasLeftOthers(leader.pid, system)) return [];
  // Its pipes are gone with it; group, session and tag remain.
  const marks = { ...leader, streams: new Set<string>() };
  const rows = await system.list(leader.tag?.name ?? "");
  return familyOf(marks, rows, [])
    .filter((row) => row.pgid === leader.pid || leader.tag === undefined || carries(row.tag, leader.tag))
    .filter(system.isAlive)
    .map(({ pid, name }) => ({ why: "left-behind", pid, name }));
}

const momentMs = 20;
