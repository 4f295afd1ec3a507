import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { deferred } from "../../../test/deferred.ts";
import type { Warning } from "../../protocol/internal.ts";
import { record, ref } from "../fixtures/answers.ts";
import { type BackgroundAnswer, type BackgroundRun, background } from "./background-hooks.ts";

function answer(id: string): BackgroundAnswer {
  return { id, hook: ref(id), occasion: "Stop", texts: [id], record: record(id, { kind: "none" }) };
}

function run(
  id: string,
  done: Promise<BackgroundAnswer | undefined>,
  more: Partial<BackgroundRun> = {},
): BackgroundRun {
  const soFar = () => ({ stdout: "", stderr: "" });
  return {
    id,
    hook: ref(id),
    sessionId: "s",
    startedAt: 0,
    limitMs: 1,
    detached: false,
    soFar,
    done,
    cancel: () => undefined,
    ...more,
  };
}

test("each answer is handed over once, in order of ending, to its own session", async () => {
  const running = background(() => undefined);
  const slow = deferred<BackgroundAnswer>();
  running.adopt(run("slow", slow.promise));
  running.adopt(run("fast", Promise.resolve(answer("fast"))));
  running.adopt(run("other", Promise.resolve(answer("other")), { sessionId: "t" }));
  await nextTurn();
  slow.resolve(answer("slow"));
  await nextTurn();
  expect(running.take("s").map(({ id }) => id)).toEqual(["fast", "slow"]);
  expect(running.take("s")).toEqual([]);
  expect(running.take("t").map(({ id }) => id)).toEqual(["other"]);
});

test("at most eight run at once, and none is dropped", async () => {
  const running = background(() => undefined);
  const ends: (() => void)[] = [];
  let begun = 0;
  for (let number = 0; number < 12; number++) {
    const job = run(String(number), Promise.resolve(undefined));
    const begin = () => {
      begun++;
      const done = new Promise<undefined>((resolve) => ends.push(() => resolve(undefined)));
      return run(String(number), done);
    };
    running.start(job, begin, () => undefined);
  }
  await nextTurn();
  expect(begun).toBe(8);
  const states = running.list().map(({ state }) => state);
  expect(states).toEqual([...Array(8).fill("running"), ...Array(4).fill("waiting")]);
  for (const end of ends.splice(0)) end();
  await nextTurn();
  expect(begun).toBe(12);
  for (const end of ends) end();
});

test("closing grants time, then ends what still runs, and leaves the detached alone", async () => {
  const running = background(() => undefined);
  const cancelled: string[] = [];
  const endable = (id: string, detached: boolean): BackgroundRun => {
    let end: (() => void) | undefined;
    const done = new Promise<undefined>((resolve) => {
      end = () => resolve(undefined);
    });
    return run(id, done, {
      detached,
      cancel: () => {
        cancelled.push(id);
        end?.();
      },
    });
  };
  running.adopt(endable("stays", true));
  running.adopt(endable("ends", false));
  await running.close(10);
  expect(cancelled).toEqual(["ends"]);
});

test("a hook that goes into the background while the engine closes is ended too", async () => {
  const running = background(() => undefined);
  await running.close(0);
  let cancelled = false;
  running.adopt(
    run("late", Promise.resolve(undefined), {
      cancel: () => {
        cancelled = true;
      },
    }),
  );
  const job = run("later", Promise.resolve(undefined));
  const calls: string[] = [];
  const begin = () => {
    calls.push("begun");
    return job;
  };
  running.start(job, begin, () => calls.push("never begun"));
  await nextTurn();
  expect({ cancelled, calls }).toEqual({ cancelled: true, calls: ["never begun"] });
});

test("a close whose hooks ended early leaves no timer that keeps the process alive", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const running = background(() => undefined);
  running.adopt(run("quick", Promise.resolve(undefined)));
  await running.close(600_000);
  expect(timers()).toBe(before);
});

async function ending(running: ReturnType<typeof background>, id: string, sessionId: string, text = id): Promise<void> {
  const given = { ...answer(id), texts: [text], record: { ...record(id, { kind: "none" }), stdout: text } };
  running.adopt(run(id, Promise.resolve(given), { sessionId }));
  await Promise.resolve();
}

test("the answers of one session are not dropped because another ends many hooks", async () => {
  const warnings: Warning[] = [];
  const running = background((warning) => warnings.push(warning));
  await ending(running, "first", "one");
  for (let number = 0; number < 1_200; number++) {
    await ending(running, String(number), "two");
    running.take("two");
  }
  await nextTurn();
  running.take("two");
  expect(running.list().length).toBeLessThanOrEqual(1_001);
  expect(running.take("one").map(({ id }) => id)).toEqual(["first"]);
  expect(warnings).toEqual([]);
});

test("of one session 1,000 ended runs are kept, delivered ones are dropped first, and a dropped answer is a warning", async () => {
  const warnings: Warning[] = [];
  const running = background((warning) => warnings.push(warning));
  for (let number = 0; number < 10; number++) await ending(running, `taken-${number}`, "s");
  await nextTurn();
  running.take("s");
  for (let number = 0; number < 1_000; number++) await ending(running, `owed-${number}`, "s");
  await nextTurn();
  expect(running.list()).toHaveLength(1_000);
  expect(warnings).toEqual([]);
  await ending(running, "last", "s");
  await nextTurn();
  expect(warnings).toMatchObject([{ code: "background-dropped", message: expect.stringContaining("owed-0") }]);
  const taken = running.take("s").map(({ id }) => id);
  expect(taken).toHaveLength(1_000);
  expect([taken[0], taken.at(-1)]).toEqual(["owed-1", "last"]);
});

test("of one session 16 MiB of output are kept", async () => {
  const warnings: Warning[] = [];
  const running = background((warning) => warnings.push(warning));
  const megabyte = "x".repeat(2 ** 20);
  for (let number = 0; number < 40; number++) {
    await ending(running, String(number), "s", megabyte);
    await nextTurn();
    running.take("s");
  }
  const kept = running.list().reduce((sum, { stdout }) => sum + stdout.length, 0);
  expect(kept).toBeLessThanOrEqual(16 * 2 ** 20);
  expect(warnings).toEqual([]);
  for (let number = 0; number < 20; number++) await ending(running, `owed-${number}`, "s", megabyte);
  await nextTurn();
  expect(warnings.length).toBeGreaterThan(0);
});

test("many that wait for a place print no warning of Node's", async () => {
  const heard: Error[] = [];
  const hear = (warning: Error) => heard.push(warning);
  process.on("warning", hear);
  const running = background(() => undefined);
  const never = new Promise<undefined>(() => undefined);
  for (let number = 0; number < 60; number++) {
    const job = run(String(number), never);
    running.start(
      job,
      () => job,
      () => undefined,
    );
  }
  await nextTurn();
  process.off("warning", hear);
  expect(heard).toEqual([]);
});
