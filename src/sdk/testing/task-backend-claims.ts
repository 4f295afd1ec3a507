import { deepStrictEqual, ok, rejects } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import type { BackendOptions, ClaimedJob, NewJob, TaskBackend, TaskState } from "../tasks/task-backend.ts";

/** Opens a backend that holds no jobs yet. */
export type OpenBackend = (options?: BackendOptions) => TaskBackend | Promise<TaskBackend>;

/** A property that every backend must have. */
export interface BackendClaim {
  /** The claim, as a test name. */
  readonly name: string;
  /**
   * Rejects with an AssertionError when it does not hold. `pass` lets so many milliseconds go by: a real wait by default, or a step of the
   * clock that the backend reads.
   */
  check(open: OpenBackend, pass?: (ms: number) => Promise<unknown>): Promise<void>;
}

/**
 * What `TaskBackend` means, to be run with any test runner:
 * `for (const { name, check } of taskBackendClaims) test(name, () => check(open));`
 */
export const taskBackendClaims: readonly BackendClaim[] = [...handingOver(), ...limits()];

function handingOver(): readonly BackendClaim[] {
  return Object.entries({
    "a job goes from pending over running to completed, and is taken once": async (backend: TaskBackend) => {
      const id = await backend.add(job({ input: { a: [1, "ä", null] } }));
      deepStrictEqual(await stateOf(backend), "pending");
      const claim = await claimed(backend);
      deepStrictEqual([claim.record.id, claim.record.input, claim.record.begun], [id, { a: [1, "ä", null] }, 1]);
      deepStrictEqual(await stateOf(backend), "running");
      deepStrictEqual(await backend.take(place, "k", "completed"), undefined);
      ok(await backend.finish(claim, { state: "completed", value: { done: true } }));
      deepStrictEqual(await stateOf(backend), "completed");
      deepStrictEqual(await backend.take(place, "k", "failed"), undefined);
      const taken = await backend.take(place, "k", "completed");
      deepStrictEqual([taken?.id, taken?.value, typeof taken?.endedAt], [id, { done: true }, "number"]);
      deepStrictEqual(await backend.take(place, "k", "completed"), undefined);
      deepStrictEqual(await backend.get(place, "k"), undefined);
    },
    "a result that twenty ask for at once is given to one of them": async (backend: TaskBackend) => {
      await backend.add(job());
      await backend.finish(await claimed(backend), { state: "completed", value: null });
      const asked = Array.from({ length: 20 }, () => backend.take(place, "k", "completed"));
      deepStrictEqual((await Promise.all(asked)).filter((one) => one !== undefined).length, 1);
    },
    "a job that twenty workers ask for at once is given to one of them": async (backend: TaskBackend) => {
      await backend.add(job());
      const asked = await Promise.all(Array.from({ length: 20 }, () => backend.claim(["t"])));
      deepStrictEqual(asked.filter((one) => one !== undefined).length, 1);
    },
    "a failed job is taken as an error and never as a result": async (backend: TaskBackend) => {
      await backend.add(job());
      await backend.finish(await claimed(backend), { state: "failed", error: { code: "failed", message: "boom" } });
      deepStrictEqual(await backend.take(place, "k", "completed"), undefined);
      const taken = await backend.take(place, "k", "failed");
      deepStrictEqual([taken?.state, taken?.error], ["failed", { code: "failed", message: "boom" }]);
    },
    "a key that is added again replaces a job that waits, and one that has ended": async (backend: TaskBackend) => {
      await backend.add(job({ input: 1 }));
      await backend.add(job({ input: 2 }));
      const claim = await claimed(backend);
      deepStrictEqual([claim.record.input, await backend.claim(["t"])], [2, undefined]);
      await backend.finish(claim, { state: "completed", value: "old" });
      await backend.add(job({ input: 3 }));
      deepStrictEqual(await stateOf(backend), "pending");
      deepStrictEqual((await backend.list("s")).length, 1);
    },
    "a key that is added again takes the job from the worker that runs it": async (backend: TaskBackend) => {
      await backend.add(job({ input: 1 }));
      const first = await claimed(backend);
      await backend.add(job({ input: 2 }));
      deepStrictEqual([await backend.beat(first), await finish(backend, first, "old")], [false, false]);
      const second = await claimed(backend);
      await finish(backend, second, "new");
      deepStrictEqual((await backend.take(place, "k", "completed"))?.value, "new");
    },
    "jobs run by priority, then in the order they were added": async (backend: TaskBackend) => {
      for (const [key, priority] of Object.entries({ a: 0, b: -5, c: 10, d: 0, e: 10 })) {
        await backend.add(job({ key, priority }));
      }
      const order: string[] = [];
      for (let next = await backend.claim(["t"]); next; next = await backend.claim(["t"])) order.push(next.record.key);
      deepStrictEqual(order.join(""), "ceadb");
    },
    "a worker gets no job whose task it does not have": async (backend: TaskBackend) => {
      await backend.add(job({ key: "other", task: "other", priority: 10 }));
      await backend.add(job());
      deepStrictEqual((await claimed(backend)).record.task, "t");
      deepStrictEqual([await backend.claim(["t"]), await backend.claim([])], [undefined, undefined]);
      deepStrictEqual(await stateOf(backend, "other"), "pending");
    },
    "a job that is cancelled before it runs never runs": async (backend: TaskBackend) => {
      await backend.add(job());
      deepStrictEqual([await backend.cancel(place, "k"), await backend.cancel(place, "k")], [true, false]);
      deepStrictEqual([await stateOf(backend), await backend.claim(["t"])], ["cancelled", undefined]);
      deepStrictEqual(await backend.cancel(place, "nothing"), false);
    },
    "a job that is cancelled while it runs no longer belongs to its worker": async (backend: TaskBackend) => {
      await backend.add(job());
      const claim = await claimed(backend);
      ok(await backend.beat(claim));
      ok(await backend.cancel(place, "k"));
      deepStrictEqual([await backend.beat(claim), await finish(backend, claim, 1)], [false, false]);
      deepStrictEqual(await stateOf(backend), "cancelled");
      deepStrictEqual(await backend.take(place, "k", "completed"), undefined);
    },
    "a job that is given back waits again, and the try does not count": async (backend: TaskBackend) => {
      await backend.add(job());
      ok(await backend.finish(await claimed(backend), { state: "released" }));
      deepStrictEqual(await stateOf(backend), "pending");
      deepStrictEqual((await claimed(backend)).record.begun, 1);
    },
    "sessions, spaces and keys are kept apart, whatever they are called": async (backend: TaskBackend) => {
      const odd = ["", "../../x", "a\0b", "A", "a", "x".repeat(300), "ä/..", "__proto__", "a:b"];
      for (const session of odd) await backend.add(job({ session, input: session }));
      for (const key of odd) await backend.add(job({ session: "keys", key, input: key }));
      for (const space of odd) await backend.add(job({ session: "spaces", space, input: space }));
      for (const session of odd) deepStrictEqual((await backend.get({ session, space: "" }, "k"))?.input, session);
      for (const key of odd) deepStrictEqual((await backend.get({ session: "keys", space: "" }, key))?.input, key);
      for (const space of odd) deepStrictEqual((await backend.get({ session: "spaces", space }, "k"))?.input, space);
      deepStrictEqual(
        (await backend.list("keys")).map(({ key }) => key),
        odd,
      );
      deepStrictEqual((await backend.list("nobody")).length, 0);
    },
  }).map(([name, holds]) => claim(name, {}, holds));
}

/** Claims about time and number need a backend with small limits. */
function limits(): readonly BackendClaim[] {
  return [
    claim("a result expires, counted from its end; a job that has not ended does not", {}, async (backend, pass) => {
      await backend.add(job({ ttlMs: 50 }));
      await pass(80);
      const claim = await claimed(backend);
      await finish(backend, claim, "v");
      await pass(80);
      const seen = await backend.get(place, "k");
      ok(seen === undefined || (seen.state === "expired" && !("value" in seen)));
      deepStrictEqual(await backend.take(place, "k", "completed"), undefined);
    }),
    claim(
      "a job whose worker has exited runs again up to its attempts, then fails as worker-lost",
      { leaseMs: 150 },
      async (backend, pass) => {
        await backend.add(job({ attempts: 2 }));
        const first = await claimed(backend);
        const second = await eventually(pass, () => backend.claim(["t"]));
        deepStrictEqual([first.record.begun, second.record.begun], [1, 2]);
        deepStrictEqual([await backend.beat(first), await finish(backend, first, "late")], [false, false]);
        const lost = await eventually(pass, async () => {
          deepStrictEqual(await backend.claim(["t"]), undefined);
          return backend.take(place, "k", "failed");
        });
        deepStrictEqual(lost.error?.code, "worker-lost");
      },
    ),
    claim("a worker that sends heartbeats keeps its job", { leaseMs: 300 }, async (backend, pass) => {
      await backend.add(job());
      const claim = await claimed(backend);
      for (let n = 0; n < 10; n++) {
        await pass(60);
        deepStrictEqual([await backend.beat(claim), await backend.claim(["t"])], [true, undefined]);
      }
      ok(await finish(backend, claim, 1));
    }),
    claim(
      "a session has no more open jobs than it may; replacing one and other sessions are not affected",
      { maxOpen: 3 },
      async (backend) => {
        for (const key of ["a", "b", "c"]) await backend.add(job({ key }));
        await rejects(
          () => backend.add(job({ key: "d" })),
          (error) => (error as { code?: string }).code === "sdk/too-many-tasks",
        );
        await backend.add(job({ key: "c" }));
        await backend.add(job({ session: "other" }));
        await backend.finish(await claimed(backend), { state: "completed", value: 1 });
        await backend.add(job({ key: "d" }));
      },
    ),
  ];
}

function claim(
  name: string,
  options: BackendOptions,
  holds: (backend: TaskBackend, pass: (ms: number) => Promise<unknown>) => Promise<void>,
): BackendClaim {
  const check: BackendClaim["check"] = async (open, pass = sleep) => {
    const backend = await open(options);
    try {
      await holds(backend, pass);
    } finally {
      await backend.close();
    }
  };
  return { name, check };
}

const place = { session: "s", space: "" };

function job(changes: Partial<NewJob> = {}): NewJob {
  return {
    ...place,
    ...{ task: "t", key: "k", input: null, priority: 0, ttlMs: 60_000, timeoutMs: 60_000, attempts: 1 },
    ...{ cwd: "/", projectDir: "/" },
    ...changes,
  };
}

async function stateOf(backend: TaskBackend, key = "k"): Promise<TaskState | undefined> {
  return (await backend.get(place, key))?.state;
}

async function claimed(backend: TaskBackend): Promise<ClaimedJob> {
  const claim = await backend.claim(["t"]);
  ok(claim, "there should be a job to claim");
  return claim;
}

function finish(backend: TaskBackend, claim: ClaimedJob, value: unknown): Promise<boolean> {
  return backend.finish(claim, { state: "completed", value });
}

async function eventually<Value>(
  pass: (ms: number) => Promise<unknown>,
  look: () => Promise<Value | undefined>,
): Promise<Value> {
  for (let n = 0; n < 100; n++) {
    const found = await look();
    if (found !== undefined) return found;
    await pass(50);
  }
  throw new Error("it did not happen within five seconds");
}
