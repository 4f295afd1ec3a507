import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { queueTasks } from "../tasks/file-queue.ts";
import { immediateTasks, mockTasks } from "./memory-tasks.ts";
import { type OpenBackend, taskBackendClaims } from "./task-backend-claims.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const backends: Record<string, OpenBackend> = {
  queue: async (options) => {
    const folder = await mkdtemp(join(tmpdir(), "hookline-queue-"));
    folders.push(folder);
    return queueTasks(folder, options);
  },
  immediate: immediateTasks,
  mock: mockTasks,
};

for (const [name, open] of Object.entries(backends)) {
  describe(`${name}`, () => {
    test.each(taskBackendClaims)("$name", async ({ check }) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      await check(open, async (ms) => vi.setSystemTime(Date.now() + ms));
    });
  });
}

test("a backend has at most ten methods", () => {
  expect(Object.keys(queueTasks("/")).length).toBeLessThanOrEqual(10);
});
