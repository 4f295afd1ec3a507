import { expect, test } from "vitest";
import { memoryTasks } from "../testing/memory-tasks.ts";
import { runTaskWorker } from "./run-jobs.ts";

test("a job that arrives while the worker is being stopped is given back and does not run", async () => {
  const ending = new AbortController();
  const queue = memoryTasks();
  const backend = {
    ...queue,
    async claim(names: readonly string[]) {
      const claim = await queue.claim(names);
      ending.abort();
      return claim;
    },
  };
  let runs = 0;
  const run = async (): Promise<void> => void runs++;
  const scope = { session: "s", space: "" };
  const limits = { priority: 0, ttlMs: 60_000, timeoutMs: 60_000, attempts: 1 };
  await queue.add({ ...scope, ...limits, task: "t", key: "k", input: null, cwd: "/", projectDir: "/" });
  const ignore = () => undefined;
  const logger = () => ({ debug: ignore, info: ignore, warn: ignore, error: ignore });
  const tasks = new Map([["t", { name: "t", run, options: {} }]]);
  await runTaskWorker({ backend, tasks, env: {}, logger, signal: ending.signal, pollMs: 5 });
  expect([runs, (await queue.get(scope, "k"))?.state]).toEqual([0, "pending"]);
});
