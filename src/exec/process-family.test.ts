import { expect, test } from "vitest";
import { familyMarks, familyOf } from "./end-tree.ts";
import type { ProcessRow } from "./process-list.ts";

const leader = 9_000_100;
const tag = { name: "RUN", value: "a-1" };

function row(pid: number, facts: Partial<ProcessRow> = {}): ProcessRow {
  const plain = { ppid: 1, pgid: pid, sid: pid, startedAt: "5", zombie: false, name: "x", streams: [], tag: undefined };
  return { pid, ...plain, ...facts };
}

function familyPids(rows: ProcessRow[], known: ProcessRow[] = []): number[] {
  const all = [row(leader, { streams: ["socket:[7]", "socket:[8]", "/dev/null"] }), ...rows];
  return familyOf(familyMarks({ pid: leader, tag }, all), all, known).map(({ pid }) => pid);
}

test("group, session, tag, pipes and descent each make a process part of the run", () => {
  const rows = [
    row(1, { ppid: 0 }),
    row(9_000_101, { pgid: leader }),
    row(9_000_102, { sid: leader }),
    row(9_000_103, { tag: "a-1" }),
    row(9_000_104, { tag: "a-1/inner" }),
    row(9_000_105, { streams: ["/dev/null", "socket:[8]"] }),
    row(9_000_106, { ppid: leader }),
    row(9_000_107, { ppid: 9_000_106 }),
    row(9_000_108, { ppid: 9_000_103 }),
    row(9_000_201, { tag: "a-10" }),
    row(9_000_202, { tag: "b" }),
    row(9_000_203, { streams: ["/dev/null"] }),
  ];
  expect(familyPids(rows)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => leader + n));
});

test("a process known from before is followed by number and start time", () => {
  const known = [row(9_000_101), row(9_000_102)];
  expect(familyPids([row(9_000_101), row(9_000_102, { startedAt: "6" })], known)).toEqual([leader, 9_000_101]);
});

test("what has ended is not a survivor, but its children are", () => {
  expect(familyPids([row(9_000_101, { pgid: leader, zombie: true }), row(9_000_102, { ppid: 9_000_101 })])).toEqual([
    leader,
    9_000_102,
  ]);
});

test("this process and its ancestors are never part of a run, whatever they carry", () => {
  const rows = [
    row(process.pid, { ppid: 9_000_300, tag: "a-1" }),
    row(9_000_300, { ppid: 9_000_301, pgid: leader }),
    row(9_000_301, { tag: "a-1" }),
  ];
  expect(familyPids(rows)).toEqual([leader]);
});

test("without a tag the other marks still count", () => {
  const rows = [row(leader), row(9_000_101, { tag: "" }), row(9_000_102, { pgid: leader })];
  const family = familyOf(familyMarks({ pid: leader, tag: undefined }, rows), rows, []);
  expect(family.map(({ pid }) => pid)).toEqual([leader, 9_000_102]);
});
