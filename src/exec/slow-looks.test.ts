import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { endTree } from "./end-tree.ts";
import type { Processes, ProcessRow } from "./processes.ts";

const tag = { name: "RUN", value: "a-1" };

test("processes started during a slow scan are also ended", async () => {
  const alive = new Set([9_000_101]);
  let born = 9_000_101;
  const facts = { ppid: 1, startedAt: "5", zombie: false, name: "x", streams: [], tag: tag.value };
  const row = (pid: number): ProcessRow => ({ ...facts, pid, pgid: pid, sid: pid });
  const system: Processes = {
    list: async () => {
      const rows = [row(process.pid), ...[...alive].map(row)];
      await sleep(300);
      // Each plants another one before it is met.
      if (alive.size > 0 && born < 9_000_104) alive.add(++born);
      return rows;
    },
    isAlive: ({ pid }) => alive.has(pid),
    signal: (pid, name) => {
      if (name === "SIGKILL") alive.delete(pid);
      return "sent";
    },
  };
  const gone = { pid: 9_000_100, tag, exited: () => true, exit: Promise.resolve() };
  expect([await endTree(gone, 0, system), [...alive]]).toEqual([[], []]);
});
