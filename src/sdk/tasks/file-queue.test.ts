import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { appRuntime } from "../app/app-runtime.ts";
import { createApp } from "../index.ts";
import { defaultTasks, queueFolder } from "./default-queue.ts";
import { queueTasks } from "./file-queue.ts";
import { hasPending, recoverJobs, sweepDone } from "./job-files.ts";
import { backendDefaults, type NewJob } from "./task-backend.ts";

let folder: string;
let built: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookline-queue-"));
  const { build } = await import("esbuild");
  built = join(folder, "queue.mjs");
  const options = { bundle: true, platform: "node", format: "esm" } as const;
  await build({ entryPoints: [resolve(import.meta.dirname, "file-queue.ts")], outfile: built, ...options });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const job = (changes: Partial<NewJob> = {}): NewJob => ({
  ...{ session: "s", space: "", task: "t", key: "k", input: null, priority: 0, ttlMs: 60_000, timeoutMs: 60_000 },
  ...{ attempts: 1, cwd: "/", projectDir: "/" },
  ...changes,
});

test("a job file that cannot be read is put aside, and the others run", async () => {
  const place = join(folder, "damaged");
  const queue = queueTasks(place);
  await queue.add(job({ key: "good" }));
  const [name = ""] = readdirSync(join(place, "pending"));
  writeFileSync(join(place, "pending", name.replace(/^\d{4}/, "0000")), "{", { mode: 0o600 });
  writeFileSync(join(place, "pending", "notes.txt"), "mine");
  expect((await queue.claim(["t"]))?.record.key).toBe("good");
  expect(readdirSync(join(place, "pending")).sort()).toEqual([
    expect.stringMatching(/\.json\.unreadable$/),
    "notes.txt",
  ]);
});

test("after a reboot results are there, and what ran runs again, though its worker's number is in use", async () => {
  const place = join(folder, "reboot");
  const before = queueTasks(place);
  await before.add(job({ key: "done" }));
  const claim = await before.claim(["t"]);
  if (claim) await before.finish(claim, { state: "completed", value: 7 });
  await before.add(job({ key: "open", attempts: 2 }));
  await before.claim(["t"]);
  const [name = ""] = readdirSync(join(place, "running"));
  const file = join(place, "running", name);
  // As a process of an earlier boot with our number would have left it.
  writeFileSync(file, readFileSync(file, "utf8").replace(/"boot":"[^"]*"/, '"boot":"earlier"'));
  const after = queueTasks(place);
  expect((await after.take({ session: "s", space: "" }, "done", "completed"))?.value).toBe(7);
  expect((await after.claim(["t"]))?.record).toMatchObject({ key: "open", begun: 2 });
});

test("a job without a task starts no worker", async () => {
  const place = join(folder, "gone");
  await queueTasks(place).add(job({ task: "gone" }));
  const app = createApp();
  app.task("here", () => 1);
  expect(await hasPending(place, appRuntime(app)?.tasks ?? new Map())).toBe(false);
  app.task("gone", () => 1);
  expect(await hasPending(place, appRuntime(app)?.tasks ?? new Map())).toBe(true);
});

test("a worker keeps its job after the machine was suspended", async () => {
  const place = join(folder, "slept");
  const queue = queueTasks(place);
  await queue.add(job());
  const claim = await queue.claim(["t"]);
  const state = async () => (await queue.get({ session: "s", space: "" }, "k"))?.state;
  const late = { leaseMs: 30_000, now: () => Date.now() + 60_000, wanted: () => true };
  await recoverJobs(place, { ...late, wait: async () => claim && queue.beat(claim) });
  expect(await state()).toBe("running");
  await recoverJobs(place, { ...late, wait: async () => undefined });
  expect(await state()).toBe("failed");
});

test("a session has at most a thousand open jobs, and a worker that is silent for half a minute has lost its job", () => {
  expect(backendDefaults).toEqual({ maxOpen: 1_000, leaseMs: 30_000 });
});

test("records are private, and a folder that others may write is refused", async () => {
  const env = { HOOKLINE_HOME: join(folder, "home") };
  const file = join(folder, "hooks.mjs");
  await defaultTasks({ file, env }).add(job());
  const [name = ""] = readdirSync(join(queueFolder(file, env), "pending"));
  expect(statSync(join(queueFolder(file, env), "pending", name)).mode & 0o777).toBe(0o600);
  expect(statSync(join(env.HOOKLINE_HOME, "tasks")).mode & 0o777).toBe(0o700);
  const open = { HOOKLINE_HOME: join(folder, "open") };
  mkdirSync(join(folder, "open/tasks"), { recursive: true });
  chmodSync(join(folder, "open/tasks"), 0o777);
  await expect(defaultTasks({ file, env: open }).add(job())).rejects.toMatchObject({ code: "file/unsafe" });
  expect(() => defaultTasks({ env })).toThrow(expect.objectContaining({ code: "sdk/no-tasks" }));
});

test("results whose time is long over are swept; others stay", async () => {
  const place = join(folder, "swept");
  const queue = queueTasks(place);
  for (const [key, ttlMs] of [
    ["short", 1],
    ["long", 1e9],
  ] as const) {
    await queue.add(job({ key, ttlMs }));
    const claim = await queue.claim(["t"]);
    if (claim) await queue.finish(claim, { state: "completed", value: 1 });
  }
  await sweepDone(place, Date.now() + 60_000);
  expect((await queue.list("s")).map(({ key, state }) => [key, state])).toEqual([
    ["short", "expired"],
    ["long", "completed"],
  ]);
  await sweepDone(place, Date.now() + 2 * 3_600_000);
  expect((await queue.list("s")).map(({ key }) => key)).toEqual(["long"]);
});
