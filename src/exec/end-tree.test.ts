import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLeftovers, run, start } from "./index.ts";
import { procfs } from "./procfs.ts";

const cwd = mkdtempSync(join(tmpdir(), "exec-"));
const sh = (command: string) => ({ form: "shell", command }) as const;
let runs = 0;

/** A run that is ended after 200 ms, with the figures that count: the overrun, and who was left. */
async function endedRun(command: string, options: { graceMs?: number; timeoutMs?: number } = {}) {
  const tag = { name: "EXEC_TEST", value: `end-tree-${process.pid}-${++runs}` };
  const timeoutMs = options.timeoutMs ?? 200;
  const startedAt = performance.now();
  const finished = await run(sh(command), { cwd, env: { ...process.env }, tag, ...options, timeoutMs });
  const overrunMs = performance.now() - startedAt - timeoutMs;
  return { ...finished, overrunMs, survivors: await findLeftovers(tag.name, tag.value) };
}

const gone = { ended: { by: "timeout", afterMs: 200 }, leaked: [], survivors: [] };

test("a limit ends the whole group, and at once if it listens", async () => {
  const ended = await endedRun("sleep 60 & sleep 60");
  expect(ended).toMatchObject(gone);
  expect(ended.overrunMs).toBeLessThan(1_500);
});

test("what ignores TERM is killed after the grace", async () => {
  const ended = await endedRun("trap '' TERM; sleep 60 & while :; do sleep 1; done", { graceMs: 300 });
  expect(ended).toMatchObject(gone);
  expect(ended.overrunMs).toBeGreaterThanOrEqual(300);
  expect(ended.overrunMs).toBeLessThan(3_000);
});

test("a child that ignores TERM is killed though its parent has exited", async () => {
  expect(await endedRun("(trap '' TERM; while :; do sleep 1; done) & sleep 60", { graceMs: 200 })).toMatchObject(gone);
});

test("what TERM made a process do within the grace is part of its output", async () => {
  const ended = await endedRun("trap 'sleep 0.1; echo tidied; exit' TERM; while :; do sleep 0.02; done");
  expect(ended).toMatchObject({ ...gone, stdout: { text: "tidied\n", droppedBytes: 0 } });
});

test.each([
  ["a session of its own", "setsid sleep 60 & sleep 60"],
  ["a deaf session of its own", "setsid sh -c \"trap '' TERM; while :; do sleep 1; done\" & sleep 60"],
  ["two forks and nohup", "(setsid nohup sh -c 'sleep 60; :' >/dev/null 2>&1 &); sleep 60"],
  ["groups of their own", "set -m; sleep 60 & sleep 60 & wait"],
])("%s is no escape", async (_name, command) => {
  expect(await endedRun(command, { graceMs: 300 })).toMatchObject(gone);
});

test.each([
  ["while its parent lives", "setsid env -i PATH=$PATH sh -c 'echo $$; exec sleep 60 >/dev/null 2>&1' & sleep 60"],
  ["while it holds a pipe", "(setsid env -i PATH=$PATH sh -c 'echo $$; exec sleep 60' &); sleep 60"],
])("a process that dropped its tag is ended %s", async (_name, command) => {
  const ended = await endedRun(command);
  expect(ended).toMatchObject(gone);
  expect(ended.stdout.text).toMatch(/^\d+\n$/);
  const row = (await procfs.list("")).find(({ pid }) => pid === Number(ended.stdout.text));
  expect(row?.zombie ?? true).toBe(true);
});

test("one that also hides behind another descriptor is reported as a possible leak", async () => {
  const ended = await endedRun(
    "(setsid env -i PATH=$PATH sh -c 'exec 9>&1 </dev/null >/dev/null 2>&1; echo $$ >&9; exec sleep 60' &); sleep 60",
  );
  process.kill(Number(ended.stdout.text), "SIGKILL");
  expect(ended).toMatchObject({ ...gone, leaked: [{ why: "holds-output" }] });
});

test("a run inside a run goes with it", async () => {
  const ended = await endedRun("(EXEC_TEST=$EXEC_TEST/inner setsid sleep 60 >/dev/null 2>&1 &); sleep 60");
  expect(ended).toMatchObject(gone);
});

test("a sibling whose tag only begins the same is left alone", async () => {
  const tag = { name: "EXEC_TEST", value: `end-tree-${process.pid}-${runs + 1}9` };
  const sibling = start(sh("sleep 60"), { cwd, env: { ...process.env }, tag, timeoutMs: 20_000 });
  const { survivors, ...ended } = await endedRun("sleep 60");
  sibling.cancel();
  expect(ended).toMatchObject({ ended: gone.ended, leaked: [] });
  expect(new Set(survivors.map(({ value }) => value))).toEqual(new Set([tag.value]));
  expect((await sibling.done).ended).toEqual({ by: "cancelled" });
});

test("one signal ends twenty running processes, and no warning is given", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  const controller = new AbortController();
  const value = `cancel-${process.pid}`;
  const all = Array.from({ length: 20 }, (_, index) =>
    run(sh(index % 2 === 0 ? "sleep 60 & sleep 60" : "trap '' TERM; while :; do sleep 1; done"), {
      cwd,
      env: { ...process.env },
      tag: { name: "EXEC_TEST", value: `${value}-${index}` },
      timeoutMs: 60_000,
      graceMs: 500,
      signal: controller.signal,
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  const abortedAt = performance.now();
  controller.abort();
  const finished = await Promise.all(all);
  expect(performance.now() - abortedAt).toBeLessThan(3_000);
  expect(finished.map(({ ended, leaked }) => [ended, leaked])).toEqual(Array(20).fill([{ by: "cancelled" }, []]));
  expect(await findLeftovers("EXEC_TEST", value)).toEqual([]);
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});

test("a signal that was given before the start starts nothing", async () => {
  const running = start(sh("echo ran"), { cwd, env: {}, timeoutMs: 1_000, signal: AbortSignal.abort() });
  expect(running.pid).toBeUndefined();
  expect(await running.done).toMatchObject({ ended: { by: "cancelled" }, stdout: { text: "" } });
});
