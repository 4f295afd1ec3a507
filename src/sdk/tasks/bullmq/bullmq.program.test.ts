import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../../../../test/required.ts";
import { createApp, workTasks } from "../../index.ts";
import { testClient } from "../../testing/index.ts";
import { taskBackendClaims } from "../../testing/task-backend-claims.ts";
import { bullmqTasks } from "./index.ts";

const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
const problem = hasRedis ? undefined : "BullMQ needs a Redis server. Debian: apt-get install redis-server";

describe.skipIf(isMissing("redis", problem))("bullmq, against a real Redis", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-redis-"));
  let server: ReturnType<typeof spawn> | undefined;
  let port = 0;
  let count = 0;
  const open = (options = {}) =>
    bullmqTasks({ connection: { host: "127.0.0.1", port }, prefix: `hookline-test-${count++}`, ...options });

  beforeAll(async () => {
    port = await freePort();
    const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
    server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
    await new Promise<void>((ready) => {
      server?.stdout?.on("data", (chunk: Buffer) => chunk.includes("Ready to accept") && ready());
    });
  });
  afterAll(async () => {
    const exited = new Promise((done) => server?.on("exit", done));
    server?.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });

  for (const claim of taskBackendClaims) test(claim.name, () => claim.check(open));

  test("a worker runs the app's jobs and survives a server that is unreachable for a while", async () => {
    const tasks = open();
    const app = createApp({ tasks });
    const double = app.task("double", (n: number) => n * 2);
    const results: unknown[] = [];
    app.onPrompt(async ({ prompt }, { tasks }) => {
      await tasks.add(double, Number(prompt));
      results.push((await tasks.wait(double, { timeoutMs: 10_000 }))?.state, (await tasks.pop(double))?.value);
    });
    const ending = new AbortController();
    const complaints: string[] = [];
    let isDown = false;
    const backend = {
      ...tasks,
      claim: async (names: readonly string[]) => {
        if (isDown) throw new Error("connection refused");
        return tasks.claim(names);
      },
    };
    const complain = (line: string) => void complaints.push(line);
    const worker = workTasks(app, {
      file: "hooks.mjs",
      env: {},
      signal: ending.signal,
      backend,
      pollMs: 20,
      complain,
    });
    await testClient(app, { tasks }).prompt("21");
    isDown = true;
    setTimeout(() => {
      isDown = false;
    }, 300);
    await testClient(app, { tasks }).prompt("4");
    ending.abort();
    await worker;
    await tasks.close();
    expect([results, complaints]).toEqual([
      ["completed", 42, "completed", 8],
      ["error task worker: Cannot fetch jobs: connection refused"],
    ]);
  });

  test("priorities hold over all tasks of a worker", async () => {
    const backend = open();
    const job = {
      session: "s",
      space: "",
      input: 1,
      ttlMs: 1e5,
      timeoutMs: 1e5,
      attempts: 1,
      cwd: "/",
      projectDir: "/",
    };
    for (const [key, task, priority] of [
      ["a", "one", 0],
      ["b", "two", 5],
      ["c", "one", 9],
    ] as const) {
      await backend.add({ ...job, key, task, priority });
    }
    const order: string[] = [];
    for (let next = await backend.claim(["one", "two"]); next; next = await backend.claim(["one", "two"])) {
      order.push(next.record.key);
    }
    expect(order).toEqual(["c", "b", "a"]);
    await backend.close();
  });
});

test("a Redis that is down is an error within seconds, not a hook that hangs", async () => {
  const port = await freePort();
  const backend = bullmqTasks({ connection: `redis://user:secret@127.0.0.1:${port}` });
  const error = await backend.list("s").catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: "sdk/no-tasks",
    message: expect.stringMatching(`^No connection to Redis at 127.0.0.1:${port}, .*ECONNREFUSED.* Start it, or`),
  });
  expect(String(error)).not.toContain("secret");
  await backend.close();
});

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
