import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLeftovers, startProcess } from "./internal.ts";
import { procfs } from "./process-list.ts";

const cwd = mkdtempSync(join(tmpdir(), "exec-"));
const sh = (command: string) => ({ form: "shell", command }) as const;
let runs = 0;

/** A run that is ended by its limit once it has printed "up", and which processes are left. */
async function endedRun(command: string, graceMs = 100) {
  const tag = { name: "EXEC_TEST", value: `end-tree-${process.pid}-${++runs}` };
  const running = startProcess(sh(command), {
    ...{ cwd, env: { ...process.env }, tag, graceMs, timeoutMs: Number.POSITIVE_INFINITY },
    onLine: (line) => {
      if (line !== "up") return "keep";
      running.setDeadline(1);
      return "take";
    },
  });
  return { ...(await running.done), survivors: await findLeftovers(tag.name, tag.value) };
}

const gone = { ended: { by: "timeout", afterMs: 1 }, leaked: [], survivors: [] };

test("a limit ends the whole group", async () => {
  expect(await endedRun("sleep 60 & echo up; sleep 60")).toMatchObject(gone);
});

test("what ignores TERM is killed", async () => {
  const ended = await endedRun("trap '' TERM; sleep 60 & echo up; while :; do sleep 1; done");
  expect(ended).toMatchObject(gone);
});

test("a child that ignores TERM is killed though its parent has exited", async () => {
  expect(await endedRun("(trap '' TERM; echo up; while :; do sleep 1; done) & sleep 60")).toMatchObject(gone);
});

test("what TERM made a process do within the grace is part of its output", async () => {
  const ended = await endedRun("trap 'echo tidied; exit' TERM; echo up; while :; do sleep 0.02; done", 2_000);
  expect(ended).toMatchObject({ ...gone, stdout: { text: "tidied\n", droppedBytes: 0 } });
});

test.each([
  ["a session of its own", "setsid sh -c 'echo up; exec sleep 60' & sleep 60"],
  ["a deaf session of its own", "setsid sh -c \"trap '' TERM; echo up; while :; do sleep 1; done\" & sleep 60"],
  [
    "two forks and nohup",
    "(setsid nohup sh -c 'echo up >&9; exec 9>&-; sleep 60; :' 9>&1 >/dev/null 2>&1 &); sleep 60",
  ],
  ["groups of their own", "set -m; sleep 60 & sleep 60 & echo up; wait"],
])("no process escapes by %s", async (_name, command) => {
  expect(await endedRun(command)).toMatchObject(gone);
});

test.each([
  [
    "while its parent lives",
    "setsid env -i PATH=$PATH sh -c 'echo $$; echo up; exec sleep 60 >/dev/null 2>&1' & sleep 60",
  ],
  ["while it holds a pipe", "(setsid env -i PATH=$PATH sh -c 'echo $$; echo up; exec sleep 60' &); sleep 60"],
])("a process that dropped its tag is ended %s", async (_name, command) => {
  const ended = await endedRun(command);
  expect(ended).toMatchObject(gone);
  expect(ended.stdout.text).toMatch(/^\d+\n$/);
  const row = (await procfs.list("")).find(({ pid }) => pid === Number(ended.stdout.text));
  expect(row?.zombie ?? true).toBe(true);
});

test("one that also hides behind another descriptor is reported as a possible leak", async () => {
  const ended = await endedRun(
    "(setsid env -i PATH=$PATH sh -c 'exec 9>&1 </dev/null >/dev/null 2>&1; echo $$ >&9; echo up >&9; exec sleep 60' &); sleep 60",
  );
  process.kill(Number(ended.stdout.text), "SIGKILL");
  expect(ended).toMatchObject({ ...gone, leaked: [{ why: "holds-output" }] });
});

test("a run inside a run goes with it", async () => {
  const ended = await endedRun(
    "(EXEC_TEST=$EXEC_TEST/inner setsid sh -c 'echo up; exec sleep 60 >/dev/null 2>&1' &); sleep 60",
  );
  expect(ended).toMatchObject(gone);
});

test("a sibling whose tag only begins the same is left alone", async () => {
  const tag = { name: "EXEC_TEST", value: `end-tree-${process.pid}-${runs + 1}9` };
  const sibling = startProcess(sh("sleep 60"), { cwd, env: { ...process.env }, tag, timeoutMs: 20_000 });
  const { survivors, ...ended } = await endedRun("echo up; sleep 60");
  sibling.cancel();
  expect(ended).toMatchObject({ ended: gone.ended, leaked: [] });
  expect(new Set(survivors.map(({ value }) => value))).toEqual(new Set([tag.value]));
  expect((await sibling.done).ended).toEqual({ by: "cancelled" });
});

test("a signal that was given before the start starts nothing", async () => {
  const running = startProcess(sh("echo ran"), { cwd, env: {}, timeoutMs: 1_000, signal: AbortSignal.abort() });
  expect(running.pid).toBeUndefined();
  expect(await running.done).toMatchObject({ ended: { by: "cancelled" }, stdout: { text: "" } });
});
