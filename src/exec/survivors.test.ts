import { expect, test } from "vitest";
import { survivorsOf } from "./end-tree.ts";
import type { Processes, ProcessRow } from "./process-list.ts";

const row = (pid: number, more: Partial<ProcessRow>): ProcessRow => ({
  pid,
  ppid: 1,
  pgid: pid,
  sid: 10,
  startedAt: "0",
  zombie: false,
  name: `p${pid}`,
  streams: [],
  tag: undefined,
  ...more,
});

function seeing(rows: readonly ProcessRow[]): Processes {
  return { list: async () => rows, isAlive: () => true, signal: () => "sent" };
}

test("what stayed in the group or kept the tag is left behind; what dropped both is not", async () => {
  const rows = [
    row(11, { pgid: 10 }),
    row(12, { tag: "t" }),
    row(13, { tag: "t/inner", sid: 13 }),
    row(14, {}),
    row(15, { pgid: 10, zombie: true }),
  ];
  const tag = { name: "TAG", value: "t" };
  const pids = async (leader: Parameters<typeof survivorsOf>[0]) =>
    (await survivorsOf(leader, seeing(rows))).map((leak) => ("pid" in leak ? leak.pid : 0));
  expect(await pids({ pid: 10, tag })).toEqual([11, 12, 13]);
  expect(await pids({ pid: 10, tag: undefined })).toEqual([11, 12, 14]);
});
