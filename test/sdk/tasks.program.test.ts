import { spawn } from "node:child_process";
import { existsSync, openSync, readdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../until.ts";
import { type BundledPackage, bundlePackage, type Ran } from "./bundled.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(async () => {
  // Workers end by themselves soon after their last job.
  await sleep(1_000);
  world.remove();
});

const env = { HOOKLINE_WORKER_IDLE_MS: "500", HOOKLINE_RUN: "tag-of-the-run", MARK: "seen" };
const prompt = (text: string, fields: object = {}) =>
  JSON.stringify({
    session_id: "s",
    cwd: world.project,
    hook_event_name: "UserPromptSubmit",
    prompt: text,
    ...fields,
  });
/** An app whose prompts are lines of code over `tasks`; what they give is its context. */
const app = (tasks: string) => `import * as sdk from "hookline/sdk";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const app = sdk.createApp();
${tasks}
app.onPrompt(async ({ prompt }, { tasks }) => {
  const said = await eval("(async () => (" + prompt + "))()");
  return sdk.context(JSON.stringify(said ?? null));
});
export default app;
`;
/** Code of a task that waits until a file exists: the gate, with the text of the expression after its name. */
const waitFor = (gate: string, expression = '""') =>
  `while (!existsSync(${JSON.stringify(gate)} + ${expression})) await sleep(20);`;
const send = async (file: string, code: string, fields: object = {}) =>
  said(await world.run([file], prompt(code, fields), { env }));
const said = ({ stdout, stderr }: Ran): unknown => {
  expect(stderr).toBe("");
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } };
  return JSON.parse(hookSpecificOutput.additionalContext);
};

test("a hook ends while the job it added still runs, and one later event pops the result", async () => {
  const gate = join(world.project, "gate");
  const file = world.file(
    "slow.mjs",
    app(`const slow = app.task("slow", async (text) => { ${waitFor(gate)} return text + " done"; });`),
  );
  // The job ends only after the gate is opened, so an answer before that shows that the hook did not wait for it.
  expect(await send(file, `(await tasks.add(slow, "work", { key: "k" }), await tasks.pop("k"))`)).toBe(null);
  writeFileSync(gate, "");
  await send(file, `(await tasks.wait("k"), null)`);
  const pops = await Promise.all(Array.from({ length: 6 }, () => send(file, `(await tasks.pop("k"))?.value`)));
  expect(pops.filter((value) => value !== null)).toEqual(["work done"]);
});

test("a worker has no descriptor, tag or terminal of the hook that started it, and is one for many hooks", async () => {
  const gate = join(world.project, "gate");
  const file = world.file(
    "who.mjs",
    app(
      `const who = app.task("who", async (n, { cwd }) => { ${waitFor(gate, "n")} return { pid: process.pid, cwd }; });`,
    ),
  );
  await send(file, "1");
  // A host may leave any descriptor open in the hook; here a pipe at 40.
  const far = openSync("/dev/zero", "r");
  const stdio = Array.from({ length: 41 }, (_, fd): "pipe" | "ignore" | number =>
    fd === 40 ? far : fd < 3 ? "pipe" : "ignore",
  );
  const hook = spawn(process.execPath, [join(world.folder, "package/dist/cli/bin.cjs"), "run", file], {
    cwd: world.project,
    env: { PATH: process.env["PATH"], HOME: world.folder, HOOKLINE_HOME: join(world.folder, "state"), ...env },
    stdio,
  });
  hook.stdin?.end(prompt(`await tasks.add(who, 0, { key: "k0" })`));
  // Its pipes close while the worker still runs.
  await new Promise((done) => hook.on("close", done));
  await Promise.all([1, 2, 3].map((n) => send(file, `await tasks.add(who, ${n}, { key: "k${n}" })`)));
  writeFileSync(`${gate}0`, "");
  const done = (await send(file, `(await tasks.wait("k0"), await tasks.popAll()).map(({ value }) => value)`)) as {
    pid: number;
    cwd: string;
  }[];
  const [first] = done;
  expect(first?.cwd).toBe(world.project);
  const pid = first?.pid ?? 0;
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  expect(links.filter((link) => link === "/dev/zero")).toEqual([]);
  const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  expect([environment.includes("MARK=seen"), environment.filter((one) => one.startsWith("HOOKLINE_RUN="))]).toEqual([
    true,
    [],
  ]);
  const [, , , , , session] = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
  expect(Number(session)).toBe(pid);
  for (const n of [1, 2, 3]) writeFileSync(`${gate}${n}`, "");
  const all = (await send(file, `(await tasks.waitAll(["k1", "k2", "k3"])).map((one) => one?.value?.pid)`)) as number[];
  const rest = done.slice(1).map((value) => value.pid);
  expect(new Set([pid, ...rest, ...all.filter((one) => one !== null)])).toEqual(new Set([pid]));
});

test("a job whose worker was killed runs again up to its attempts, then fails as worker-lost", async () => {
  const pids = join(world.folder, "pids");
  const file = world.file(
    "dies.mjs",
    app(`const dies = (name, attempts) => app.task(name, async () => {
           appendFileSync(${JSON.stringify(pids)}, name + " " + process.pid + "\\n");
           await sleep(60_000);
         }, { attempts });
         const once = dies("once", 1), twice = dies("twice", 2);`),
  );
  // Only whole lines: the file exists before its first line is in it.
  const lines = () => (existsSync(pids) ? readFileSync(pids, "utf8").split("\n").slice(0, -1) : []);
  await send(file, "await tasks.add(once)");
  await until("one line is there", () => lines().length === 1);
  process.kill(Number(lines()[0]?.split(" ")[1]), "SIGKILL");
  expect(await send(file, "(await tasks.wait(once))?.error?.code")).toBe("worker-lost");
  expect(await send(file, "(await tasks.popErrors()).map(({ key, error }) => [key, error.code])")).toEqual([
    ["once", "worker-lost"],
  ]);

  await send(file, "await tasks.add(twice)");
  await until("two lines are there", () => lines().length === 2);
  process.kill(Number(lines()[1]?.split(" ")[1]), "SIGKILL");
  expect(await send(file, "(await tasks.wait(twice, { timeoutMs: 300 }), (await tasks.get(twice)).state)")).toMatch(
    /pending|running/,
  );
  await until("three lines are there", () => lines().length === 3);
  process.kill(Number(lines()[2]?.split(" ")[1]), "SIGKILL");
  expect(await send(file, "(await tasks.wait(twice))?.error?.code")).toBe("worker-lost");
});

test("a task that blocks its thread forever loses its worker, and the next jobs run", async () => {
  const pids = join(world.folder, "stuck");
  const file = world.file(
    "stuck.mjs",
    app(`const stuck = app.task("stuck", () => { writeFileSync(${JSON.stringify(pids)}, String(process.pid)); const end = Date.now() + 60_000; while (Date.now() < end); });
         const fine = app.task("fine", () => "fine");`),
  );
  await send(file, "await tasks.add(stuck)");
  await until("the worker has written its number", () => existsSync(pids) && readFileSync(pids, "utf8") !== "");
  await send(file, "await tasks.add(fine)");
  // As if it had given no sign for a minute.
  const [running = ""] = findJobs(join(world.folder, "state/tasks"), "running", "stuck");
  utimesSync(running, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
  const result = await world.run([file], prompt("await tasks.get(fine)"), { env });
  expect(result.stderr).toContain("A task held the worker's thread for too long");
  expect(await send(file, "(await tasks.wait(fine, { timeoutMs: 10_000 }))?.value")).toBe("fine");
  expect(await send(file, "(await tasks.popErrors()).map(({ key, error }) => [key, error.code])")).toEqual([
    ["stuck", "worker-lost"],
  ]);
  await until("the worker has ended", () => !existsSync(`/proc/${readFileSync(pids, "utf8")}/exe`));
});

test("a task that exits its worker does not lose the other jobs", async () => {
  const file = world.file(
    "leaves.mjs",
    app(`const leaves = app.task("leaves", () => process.exit(0));
         const stays = app.task("stays", async () => { await sleep(500); return "stayed"; });`),
  );
  const both =
    "(await tasks.add(stays), await tasks.add(leaves), await tasks.waitAll([stays, leaves], { timeoutMs: 15_000 }))";
  expect(await send(file, `${both}.map((one) => one?.value ?? one?.error)`)).toEqual([
    "stayed",
    { code: "failed", message: expect.stringContaining("process.exit(0) was called") },
  ]);
});

test("cancel aborts the signal of a job that runs in another process", async () => {
  const notes = join(world.folder, "notes");
  const file = world.file(
    "cancel.mjs",
    app(`const long = app.task("long", async (_, { signal }) => {
           appendFileSync(${JSON.stringify(notes)}, "begun ");
           await new Promise((done) => signal.addEventListener("abort", done));
           appendFileSync(${JSON.stringify(notes)}, "aborted ");
         });`),
  );
  const read = () => (existsSync(notes) ? readFileSync(notes, "utf8") : "");
  await send(file, "await tasks.add(long)");
  await until("the task has begun", () => read() === "begun ");
  expect(await send(file, "[await tasks.cancel(long), (await tasks.get(long)).state]")).toEqual([true, "cancelled"]);
  await until("the task is aborted", () => read() === "begun aborted ");
});

test("a worker does not run a task that its app does not have, and a changed hooks file gets a worker of its own", async () => {
  const file = world.file("changes.mjs", app(`const one = app.task("one", () => "one");`));
  expect(await send(file, "(await tasks.add(one), (await tasks.wait(one))?.value)")).toBe("one");
  world.file("changes.mjs", app(`const two = app.task("two", () => "two"); const one = { name: "one", key: "one" };`));
  expect(await send(file, "(await tasks.add(two), (await tasks.wait(two))?.value)")).toBe("two");
  const unknown = await world.run([file], prompt("await tasks.add(one)", { session_id: "other" }), { env });
  expect(unknown.stdout).toContain("no task called");
});

test("a worker does not run changed code before a host has run it", async () => {
  const mark = join(world.folder, "ran-by-itself");
  const late = `const late = app.task("late", () => sleep(900));`;
  const file = world.file("pinned.mjs", app(late));
  await send(file, `await Promise.all([0, 1, 2, 3, 4].map((n) => tasks.add(late, n, { key: "k" + n })))`);
  await until("the jobs run", () => findJobs(join(world.folder, "state/tasks"), "running", "late").length === 4);
  const inWorker = `if (process.argv[1].endsWith("background-program.cjs")) writeFileSync(${JSON.stringify(mark)}, "");`;
  world.file("pinned.mjs", app(`${inWorker} ${late}`));
  await until("the jobs are done", () => findJobs(join(world.folder, "state/tasks"), "done", "late").length === 4);
  const log = join(world.folder, "state/log/hooks.jsonl");
  await until("the log names what waits", () => readFileSync(log, "utf8").includes("wait for the next hook"));
  await sleep(500);
  expect(existsSync(mark)).toBe(false);
  await send(file, "1");
  await until("the jobs are done", () => findJobs(join(world.folder, "state/tasks"), "done", "late").length === 5);
});

test("a result is delivered once, over all processes, to the session it belongs to", async () => {
  const file = world.file("deliver.mjs", app(`const note = app.task("note", (text) => text);`));
  await send(file, `await tasks.add(note, "for the model", { deliver: "context" })`, { session_id: "../../escaped" });
  expect(await send(file, `(await tasks.wait(note))?.value`, { session_id: "else" })).toBe(null);
  await until("the jobs are done", () => findJobs(join(world.folder, "state/tasks"), "done", "note").length === 1);
  const both = await Promise.all(
    Array.from({ length: 4 }, () => world.run([file], prompt("1", { session_id: "../../escaped" }), { env })),
  );
  expect(both.filter(({ stdout }) => stdout.includes("for the model")).length).toBe(1);
  expect(readdirSync(world.folder)).not.toContain("escaped");
});

test("the log names the session of a task that failed", async () => {
  const file = world.file("fails.mjs", app(`const bad = app.task("bad", () => { throw new Error("boom"); });`));
  await send(file, "await tasks.add(bad)", { session_id: "with-bad-task" });
  const log = join(world.folder, "state/log/hooks.jsonl");
  await until("the failure is logged", () => readFileSync(log, "utf8").includes('"message":"boom"'));
  const records = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes('"message":"boom"'));
  expect(records.map((line) => JSON.parse(line))).toMatchObject([{ task: "bad", session: "with-bad-task" }]);
});

test("once a day a process of its own clears away the state of old sessions; no hook waits for it", async () => {
  const file = world.file("state.mjs", app("").replace("{ tasks }", "{ state }"));
  const sessions = join(world.folder, "state/state/session");
  await send(file, `await state.set("k", 1)`, { session_id: "11111111-1111-4111-8111-111111111111" });
  const old = new Date(Date.now() - 40 * 24 * 3_600_000);
  utimesSync(join(sessions, "11111111-1111-4111-8111-111111111111.json"), old, old);
  await send(file, `await state.set("k", 2)`, { session_id: "22222222-2222-4222-8222-222222222222" });
  await sleep(300);
  expect(readdirSync(sessions)).toContain("11111111-1111-4111-8111-111111111111.json");
  utimesSync(join(world.folder, "state/state/swept"), old, old);
  await send(file, `await state.set("k", 3)`, { session_id: "22222222-2222-4222-8222-222222222222" });
  await until(
    "the record is removed",
    () => !readdirSync(sessions).includes("11111111-1111-4111-8111-111111111111.json"),
  );
  expect(readdirSync(sessions)).toContain("22222222-2222-4222-8222-222222222222.json");
});

function findJobs(folder: string, state: "running" | "done", task: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.includes(`/${state}/1`) && path.endsWith(".json"))
    .map((path) => join(folder, path))
    .filter((path) => holdsTask(path, task));
}

function holdsTask(path: string, task: string): boolean {
  try {
    return readFileSync(path, "utf8").includes(`"task":"${task}"`);
  } catch {
    return false; // it has moved on since the folder was read
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed since the folder was read
  }
}

test("a worker whose hooks file blocks the thread while it loads ends after the limit of a load, with a line in the log", async () => {
  const file = world.file("blocks.mjs", "for (;;);");
  const program = join(world.folder, "package/dist/sdk/tasks/background-program.cjs");
  const state = join(world.folder, "blocks-state");
  const worker = spawn(process.execPath, [program, "work", file], {
    cwd: world.project,
    env: { PATH: process.env["PATH"], HOME: world.folder, HOOKLINE_HOME: state },
    stdio: "ignore",
  });
  expect(await new Promise((resolve) => worker.on("exit", resolve))).toBe(1);
  expect(readFileSync(join(state, "log/hooks.jsonl"), "utf8")).toContain("does not load: it took longer than 10 s");
});
