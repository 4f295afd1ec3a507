import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../test/until.ts";
import { endLeftovers, findLeftovers } from "./end-tree.ts";
import { parsePs, processes, ps } from "./process-list.ts";

const { list, isAlive, signal } = processes;
const onLinux = test.runIf(process.platform === "linux");

onLinux("a process is listed with its parent, group, name, pipes and tag", async () => {
  const child = spawn("sleep", ["20"], { detached: true, env: { EXEC_TEST: "listed ü", EXEC_TEST_2: "no" } });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const row = (await list("EXEC_TEST")).find((candidate) => candidate.pid === pid);
  expect(row).toEqual({
    pid,
    ppid: process.pid,
    pgid: pid,
    sid: pid,
    startedAt: row?.startedAt,
    zombie: false,
    name: "sleep",
    streams: row?.streams,
    tag: "listed ü",
  });
  expect(row?.streams.map((stream) => stream.replace(/\d+/, "n"))).toEqual(Array(3).fill("socket:[n]"));
  expect([row && isAlive(row), row && isAlive({ ...row, startedAt: "1" })]).toEqual([true, false]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(row && isAlive(row)).toBe(false);
});

onLinux("looks of the same moment are one look", async () => {
  const [first, second] = await Promise.all([list("A"), list("A")]);
  expect(first).toBe(second);
  expect(await list("A")).not.toBe(first);
});

onLinux("a name with blanks and parentheses does not confuse the numbers", async () => {
  const child = spawn("sh", ["-c", "printf 'a) R 1 1 (b' > /proc/$$/comm; echo; sleep 20; :"], { detached: true });
  await once(child.stdout, "data");
  const row = (await list("A")).find((candidate) => candidate.pid === child.pid);
  process.kill(-(child.pid ?? 0), "SIGKILL");
  expect(row).toMatchObject({ name: "a) R 1 1 (b", ppid: process.pid, pgid: child.pid });
});

test("ps reports about this process what the system knows", async () => {
  const row = (await ps.list("")).find((candidate) => candidate.pid === process.pid);
  expect(row).toMatchObject({ ppid: process.ppid, zombie: false });
  expect(Date.parse(row?.startedAt ?? "")).toBeLessThan(Date.now() + 2_000);
});

test("lines of ps are read as they look on a Mac, and others are skipped", () => {
  const lines = [
    "    1     0     1 Ss   Mon Jan  5 08:15:00 2026     /sbin/launchd",
    "  501   500   501 Z+   Tue Jan  6 10:00:59 2026     (my tool)",
    "",
    "ps: something odd",
  ];
  const rest = { sid: 0, streams: [], tag: undefined };
  expect(parsePs(lines.join("\n"))).toEqual([
    { pid: 1, ppid: 0, pgid: 1, startedAt: "Mon Jan  5 08:15:00 2026", zombie: false, name: "/sbin/launchd", ...rest },
    { pid: 501, ppid: 500, pgid: 501, startedAt: "Tue Jan  6 10:00:59 2026", zombie: true, name: "(my tool)", ...rest },
  ]);
});

test("a signal to a process that does not exist is reported as gone", () => {
  expect(signal(2 ** 22 + 5, 0)).toBe("gone");
});

onLinux("what a killed parent left is found by its tag and ended", async () => {
  const value = `left-${process.pid}`;
  const fixture = join(import.meta.dirname, "fixtures", "leaves-children.mjs");
  const parent = spawn(process.execPath, [fixture, "EXEC_TEST", `${value}-1`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(parent.stdout, "data")) as [Buffer];
  parent.kill("SIGKILL");
  await once(parent, "exit");
  const found = await findLeftovers("EXEC_TEST", value);
  expect(found).toEqual([
    { pid: Number(said.toString()), name: "sleep", value: `${value}-1`, startedAt: found[0]?.startedAt },
  ]);
  expect(endLeftovers(found.map((leftover) => ({ ...leftover, startedAt: "1" })))).toEqual([]);
  expect(await findLeftovers("EXEC_TEST", value)).toEqual(found);
  expect(endLeftovers(found)).toEqual([]);
  await until("it has ended", () => !found.some(isAlive));
  expect(await findLeftovers("EXEC_TEST", value)).toEqual([]);
});
