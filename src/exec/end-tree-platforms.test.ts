import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { endTree, endTreeOnWindows } from "./end-tree.ts";
import { type Processes, type ProcessRow, procfs, ps } from "./process-list.ts";

const tag = { name: "EXEC_TEST", value: `elsewhere-${process.pid}` };
const cleanUp: (() => void)[] = [];

afterEach(() => {
  for (const step of cleanUp.splice(0)) step();
});

/** A tree with a real leader process; ready when it has printed a line. */
async function plant(command: string) {
  const child = spawn("sh", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const said = await new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data))));
  const pid = child.pid ?? 0;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  return { tree: { pid, tag, exited: () => child.exitCode !== null || child.signalCode !== null, exit }, said };
}

async function lives(pid: number): Promise<boolean> {
  return (await procfs.list("")).some((row) => row.pid === pid && !row.zombie);
}

test("with ps alone, a child in its own session that ignores SIGTERM is found through its parents and ended", async () => {
  const { tree, said } = await plant(
    `setsid sh -c "trap '' TERM; echo \\$\\$; while :; do sleep 1; done" & while :; do sleep 1; done`,
  );
  expect(await endTree(tree, 50, ps)).toEqual([]);
  expect([tree.exited(), await lives(Number(said))]).toEqual([true, false]);
});

const blind: Processes = { ...procfs, list: async () => [] };

test("where the process table cannot be read, the group gets SIGTERM and then SIGKILL, even after its leader has exited", async () => {
  const { tree, said } = await plant("(trap '' TERM; sh -c 'echo $PPID'; while :; do sleep 1; done) & sleep 60");
  // The result is not checked: without a process table a group of zombies looks alive.
  await endTree(tree, 50, blind);
  expect([tree.exited(), await lives(Number(said))]).toEqual([true, false]);
});

const never = { pid: 9_000_100, tag, exited: () => false, exit: new Promise(() => undefined) };
const row = (pid: number, facts: Partial<ProcessRow> = {}): ProcessRow => ({
  ...{ pid, ppid: 1, pgid: pid, sid: pid, startedAt: "5", zombie: false, streams: [], tag: undefined },
  name: `p${pid}`,
  ...facts,
});

test("a process that survives SIGKILL is reported by pid and name, one that may not be signaled as not-permitted", async () => {
  const sent: [number, string | 0][] = [];
  const system: Processes = {
    list: async () => [row(9_000_100), row(9_000_101, { ppid: 9_000_100 })],
    isAlive: () => true,
    signal: (pid, name) => {
      sent.push([pid, name]);
      return pid === 9_000_101 ? "not-permitted" : "sent";
    },
  };
  expect(await endTree(never, 50, system)).toEqual([
    { why: "survived", pid: 9_000_100, name: "p9000100" },
    { why: "not-permitted", pid: 9_000_101, name: "p9000101" },
  ]);
  expect(sent.slice(0, 5)).toEqual([
    [-9_000_100, "SIGTERM"],
    [9_000_101, "SIGTERM"],
    [-9_000_100, "SIGKILL"],
    [9_000_100, "SIGKILL"],
    [9_000_101, "SIGKILL"],
  ]);
});

test("a leader that neither exits nor appears in the table is reported too", async () => {
  const system: Processes = { list: async () => [row(1)], isAlive: () => false, signal: () => "sent" };
  expect(await endTree(never, 0, system)).toEqual([{ why: "survived", pid: 9_000_100, name: "" }]);
});

test("a process that reuses the pid of one that ended is never signaled", async () => {
  const sent: number[] = [];
  const system: Processes = {
    list: async () => [row(9_000_101, { tag: tag.value })],
    isAlive: () => false,
    signal: (pid) => {
      sent.push(pid);
      return "gone";
    },
  };
  expect(await endTree({ ...never, exited: () => true }, 50, system)).toEqual([]);
  expect(sent).toEqual([-9_000_100]);
});

test("when listing takes longer than the sweep, processes started in the meantime are ended too", async () => {
  let nowMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  const alive = new Set([9_000_101]);
  let newest = 9_000_101;
  const system: Processes = {
    list: async () => {
      const rows = [row(process.pid), ...[...alive].map((pid) => row(pid, { tag: tag.value }))];
      nowMs += 600;
      // Each process starts another one before it is found.
      if (alive.size > 0 && newest < 9_000_104) alive.add(++newest);
      return rows;
    },
    isAlive: ({ pid }) => alive.has(pid),
    signal: (pid, name) => {
      if (name === "SIGKILL") alive.delete(pid);
      return "sent";
    },
  };
  const leader = { ...never, exited: () => true, exit: Promise.resolve() };
  expect([await endTree(leader, 0, system), [...alive]]).toEqual([[], []]);
});

/** A fake taskkill: logs its arguments, and kills with /F. */
function standInForTaskkill(script: string): () => string[] {
  const folder = mkdtempSync(join(tmpdir(), "exec-"));
  const log = join(folder, "log");
  writeFileSync(join(folder, "taskkill"), `#!/bin/sh\necho "$*" >> ${log}\n${script}\n`);
  chmodSync(join(folder, "taskkill"), 0o755);
  const path = process.env["PATH"];
  process.env["PATH"] = `${folder}${delimiter}${path}`;
  cleanUp.push(() => {
    process.env["PATH"] = path;
  });
  return () => readFileSync(log, "utf8").trimEnd().split("\n");
}

test("on Windows taskkill asks the tree to end and then forces it", async () => {
  const calls = standInForTaskkill('[ "$2" = /F ] || exit 128; kill -KILL "$4"');
  const { tree } = await plant("echo; sleep 60");
  cleanUp.push(() => void procfs.signal(-tree.pid, "SIGKILL"));
  expect(await endTreeOnWindows(tree, 200)).toEqual([]);
  expect([calls(), tree.exited()]).toEqual([[`/T /PID ${tree.pid}`, `/T /F /PID ${tree.pid}`], true]);
});

test("on Windows a tree that ends when asked is not forced, and one that survives is reported", async () => {
  const calls = standInForTaskkill('kill -KILL "$3"');
  const { tree } = await plant("echo; sleep 60");
  cleanUp.push(() => void procfs.signal(-tree.pid, "SIGKILL"));
  expect(await endTreeOnWindows(tree, 2_000)).toEqual([]);
  expect(calls()).toEqual([`/T /PID ${tree.pid}`]);
  standInForTaskkill("exit 1");
  expect(await endTreeOnWindows(never, 50)).toEqual([{ why: "survived", pid: 9_000_100, name: "" }]);
});
