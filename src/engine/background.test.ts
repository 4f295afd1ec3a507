import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type BackgroundAnswer, type BackgroundRun, background } from "./background.ts";
import { record, ref } from "./fixtures/words.ts";

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

test("each answer is handed over once, in order of ending, to its own session (EN-103)", async () => {
  const running = background();
  running.adopt(
    run(
      "slow",
      sleep(20).then(() => answer("slow")),
    ),
  );
  running.adopt(run("fast", Promise.resolve(answer("fast"))));
  running.adopt(run("other", Promise.resolve(answer("other")), { sessionId: "t" }));
  await sleep(60);
  expect(running.take("s").map(({ id }) => id)).toEqual(["fast", "slow"]);
  expect(running.take("s")).toEqual([]);
  expect(running.take("t").map(({ id }) => id)).toEqual(["other"]);
});

test("at most eight run at once, and none is dropped (EN-102)", async () => {
  const running = background();
  const ends: (() => void)[] = [];
  let begun = 0;
  for (let number = 0; number < 12; number++) {
    const job = run(String(number), Promise.resolve(undefined));
    running.start(job, () => {
      begun++;
      const done = new Promise<undefined>((resolve) => ends.push(() => resolve(undefined)));
      return run(String(number), done);
    });
  }
  await sleep(5);
  expect(begun).toBe(8);
  const states = running.list().map(({ state }) => state);
  expect(states).toEqual([...Array(8).fill("running"), ...Array(4).fill("waiting")]);
  for (const end of ends.splice(0)) end();
  await sleep(5);
  expect(begun).toBe(12);
  for (const end of ends) end();
});

test("closing grants time, then ends what still runs, and leaves the detached alone (EN-104)", async () => {
  const running = background();
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
  const running = background();
  await running.close(0);
  let cancelled = false;
  running.adopt(
    run("late", Promise.resolve(undefined), {
      cancel: () => {
        cancelled = true;
      },
    }),
  );
  let begun = false;
  const job = run("later", Promise.resolve(undefined));
  running.start(job, () => {
    begun = true;
    return job;
  });
  await sleep(5);
  expect({ cancelled, begun }).toEqual({ cancelled: true, begun: false });
});

test("a close whose hooks ended early leaves no timer that keeps the process alive", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const running = background();
  running.adopt(run("quick", Promise.resolve(undefined)));
  await running.close(600_000);
  expect(timers()).toBe(before);
});
