import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daemonStatus, endpointFor, stopDaemon } from "../../src/daemon/internal.ts";
import { appKey } from "../../src/sdk/internal.ts";
import { readRecorded } from "../../src/sdk/testing/index.ts";
import { until } from "../until.ts";
import { app, clientForms, type DaemonWorld, denial, event, guard, isServed, openDaemonWorld } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());
const status = (file: string) => daemonStatus(file, { env: world.env });

/** An app whose handlers say that they run with `mark(NAME)`. */
const marking = (body: string) =>
  app(`import { appendFileSync } from "node:fs";
       const mark = (name) => appendFileSync(${JSON.stringify(world.project)} + "/mark-" + name, ".");
       ${body}`);
/** Waits until `count` handlers run. */
const marked = (name: string, count = 1) =>
  until(`${count} handlers run: ${name}`, () => {
    const file = join(world.project, `mark-${name}`);
    return existsSync(file) && readFileSync(file, "utf8").length >= count;
  });

describe("one daemon", () => {
  test.each(clientForms)(
    "the daemon detaches fully, started by the %s: no descriptor of the caller's, a session of its own, no run tag; the caller's pipes close",
    async (form) => {
      const file = world.file(`${form}-detached.mjs`, guard);
      const client = await world.clientPath(form);
      const env = { ...world.env, HOOKLINE_RUN: "tag-of-a-run", HOOKLINE_DEPTH: "1" };
      const child = spawn(client, [file], { cwd: world.project, env, stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"] });
      child.stdin?.end(event());
      // `close` comes when no process has the pipes open.
      await new Promise((done) => child.on("close", done));
      await until("a daemon", () => isServed(world, file));
      const { pid } = (await status(file)) ?? { pid: 0 };
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      expect(fields[3]).toBe(String(pid));
      const environ = readFileSync(`/proc/${pid}/environ`, "utf8");
      expect([environ.includes("HOOKLINE_RUN"), environ.includes("HOOKLINE_DEPTH")]).toEqual([false, false]);
      const open = [0, 1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      expect(open).toEqual(["/dev/null", "/dev/null", "/dev/null"]);
      await stopDaemon(file, { env: world.env });
    },
  );

  test("a second name of the file finds the same daemon", async () => {
    const file = world.file("named.mjs", guard);
    const link = join(world.project, "other-name.mjs");
    symlinkSync(file, link);
    const one = await world.serve(file);
    expect((await world.serve(link)).pid).toBe(one.pid);
    await stopDaemon(link, { env: world.env });
    expect(await isServed(world, file)).toBe(false);
  });

  test("a port that another process has is reported, and clients are still answered", async () => {
    const file = world.file("taken.mjs", guard);
    const { port } = await endpointFor(file, { env: world.env });
    const stranger = createServer();
    await new Promise<void>((done) => stranger.listen(port, "127.0.0.1", () => done()));
    const served = await world.serve(file);
    expect(served.port).not.toBe(port);
    expect((await world.client([file], event())).stdout).toBe(denial("no"));
    stranger.close();
    const fresh = await endpointFor(file, { env: world.env, fresh: true });
    expect(await isServed(world, file)).toBe(false);
    expect((await world.serve(file)).port).toBe(fresh.port);
  });
});

describe("leaving", () => {
  test("on TERM it finishes the calls it has; serve --stop waits for that", async () => {
    const file = world.file(
      "finishing.mjs",
      marking(`app.preTool(async () => {
        mark("finishing");
        await new Promise((done) => setTimeout(done, 1200));
        return sdk.deny("done");
      });`),
    );
    await world.serve(file);
    const byClient = world.client([file], event());
    const byHttp = world.post(file, JSON.parse(event()));
    await marked("finishing", 2);
    const stopped = await world.cli(["serve", file, "--stop", "--json"]);
    expect(JSON.parse(stopped.stdout)).toEqual({ stopped: true });
    expect((await byHttp).text).toBe(denial("done"));
    expect((await byClient).stdout).toBe(denial("done"));
    expect((await world.cli(["serve", file, "--status"])).code).toBe(4);
  });

  test("a handler that runs for more than five seconds is aborted and may still answer; one that ignores it settles by its mode", async () => {
    const file = world.file(
      "hears.mjs",
      marking(`app.preTool((_e, { signal }) => new Promise((done) => {
        signal.addEventListener("abort", () => done(sdk.deny(signal.reason.message)));
        mark("hears");
      }));
      app.onConfigChange({ onFailure: "block" }, () => new Promise(() => mark("hears")));`),
    );
    const { pid } = await world.serve(file);
    const call = world.post(file, JSON.parse(event()));
    const deaf = world.post(file, JSON.parse(event({ hook_event_name: "ConfigChange" })));
    await marked("hears", 2);
    process.kill(pid, "SIGTERM");
    expect((await call).text).toContain("the daemon is exiting");
    expect(JSON.parse((await deaf).text)).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("the daemon is exiting"),
    });
  });

  test("an idle daemon exits, but not while a host lives that it has answered, nor with open tasks", async () => {
    const [begun, enough] = [join(world.folder, "begun"), join(world.folder, "enough")];
    const works = world.file(
      "idle-works.mjs",
      app(`import { existsSync, writeFileSync } from "node:fs";
           const slow = app.task("slow", async () => {
             writeFileSync(${JSON.stringify(begun)}, "");
             while (!existsSync(${JSON.stringify(enough)})) await new Promise((done) => setTimeout(done, 50));
           });
           app.preTool("Bash", async (_e, { tasks }) => { await tasks.add(slow, null); });`),
    );
    const file = world.file("idle.mjs", guard);
    const client = join(world.folder, "package/client/hookline-client");
    // A host that is not a shell, so that it counts itself; it starts before the daemon, which does not wait long for it.
    const code = `const { spawnSync } = require("child_process");
      process.stdin.on("data", () => {
        spawnSync(${JSON.stringify(client)}, [${JSON.stringify(file)}], { input: ${JSON.stringify(event())} });
        console.log("asked");
      });
      console.log("up");`;
    const host = spawn(process.execPath, ["-e", code], { cwd: world.project, env: world.env });
    const heard = () => new Promise((done) => host.stdout.once("data", done));
    await heard();
    await world.serve(file, "--idle-minutes", "0.02");
    const asked = heard();
    host.stdin.write("now");
    await asked;
    await world.serve(works, "--idle-minutes", "0.02");
    await world.post(works, JSON.parse(event()));
    // A job counts once a worker has it; until then it is kept awake.
    await until("the task runs", async () => {
      await world.post(works, JSON.parse(event({ tool_name: "Read" })));
      return existsSync(begun);
    });
    await new Promise((done) => setTimeout(done, 2_000));
    expect([await isServed(world, file), await isServed(world, works)]).toEqual([true, true]);
    host.kill("SIGKILL");
    await until("it leaves", async () => !(await isServed(world, file)));
    expect(await isServed(world, works)).toBe(true);
    writeFileSync(enough, "");
    await until("the other leaves with its task", async () => !(await isServed(world, works)));
  });

  test("a client of another version is answered in process, and the next finds a daemon of that version", async () => {
    const file = world.file("versions.mjs", guard);
    const old = await world.serve(file);
    const client = join(world.folder, "package/client/hookline-client");
    const text = readFileSync(client, "utf8");
    const newer = join(world.folder, "package/client/newer-hookline-client");
    writeFileSync(newer, text.replace(/\nhookline_version=.*\n/, "\nhookline_version=9.9.9\n"), { mode: 0o755 });
    const child = spawn(newer, [file], { cwd: world.project, env: world.env });
    child.stdin.end(event());
    const parts: string[] = [];
    child.stdout.on("data", (part) => parts.push(String(part)));
    await new Promise((done) => child.on("close", done));
    expect(parts.join("")).toBe(denial("no"));
    expect(world.log().at(-1)).toMatchObject({ inProcess: "version" });
    await until("a new daemon", async () => {
      const now = await status(file);
      return now !== undefined && now.pid !== old.pid;
    });
  });
});

describe("the app follows its files", () => {
  test("a saved change counts for the next event, though the start folder was removed; an import counts; equal content under a new time does not", async () => {
    const words = world.file("words.ts", `export const word: string = "one";\n`);
    const file = world.file(
      "follows.ts",
      `import { createApp, deny } from "hookline/sdk";\nimport { word } from "./words.ts";\nconst app = createApp();\nlet calls = 0;\napp.preTool(() => deny(\`\${word} \${++calls}\`));\nexport default app;\n`,
    );
    const elsewhere = join(world.folder, "worktree");
    mkdirSync(elsewhere);
    expect((await world.cli(["serve", file], { cwd: elsewhere })).code).toBe(0);
    rmSync(elsewhere, { recursive: true });
    const say = async () => (await world.post(file, JSON.parse(event()))).text;
    expect([await say(), await say()]).toEqual([denial("one 1"), denial("one 2")]);
    const before = await status(file);
    writeFileSync(words, `export const word: string = "two";\n`);
    expect([await say(), await say()]).toEqual([denial("two 1"), denial("two 2")]);
    writeFileSync(words, `export const word: string = "two";\n`);
    expect(await say()).toBe(denial("two 3"));
    const { sourceHash } = (await status(file)) ?? {};
    expect(sourceHash).not.toBe(before?.sourceHash);
    expect((await world.post(file, JSON.parse(event()))).headers["hookline-source"]).toBe(sourceHash);
  });

  test("a package that is upgraded shows with the next event, as in run", async () => {
    const upgrade = (version: string) => {
      const folder = join(world.project, "node_modules/dep");
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ name: "dep", type: "module", version, main: `${version}.js` }),
      );
      writeFileSync(join(folder, `${version}.js`), `export const version = "${version}";`);
    };
    upgrade("one");
    const files = ["follows.mjs", "follows.ts"].map((name) =>
      world.file(name, app(`import { version } from "dep"; app.preTool("Bash", () => sdk.deny(version));`)),
    );
    for (const file of files) await world.serve(file);
    for (const version of ["one", "two"]) {
      upgrade(version);
      for (const file of files) {
        expect(await world.client([file], event())).toMatchObject({ stdout: expect.stringContaining(`"${version}"`) });
        expect(await world.cli(["run", file], { input: event() })).toEqual(await world.client([file], event()));
      }
    }
  });

  test("code that does not load leaves the last good one answering, every answer reports it, and running calls end on the old one", async () => {
    const good = (word: string) =>
      marking(`app.preTool(() => sdk.deny("${word}"));
      app.onStop(async () => { mark("old"); await new Promise((done) => setTimeout(done, 1000)); return sdk.block("${word}"); });`);
    const file = world.file("breaks.mjs", good("good"));
    await world.serve(file);
    const say = async (session_id: string) =>
      JSON.parse((await world.post(file, JSON.parse(event({ session_id })))).text);
    const running = world.post(file, JSON.parse(event({ hook_event_name: "Stop" })));
    await marked("old");
    writeFileSync(file, `${good("better")}\nconst a = ;`);
    const first = await say("a");
    expect(first).toMatchObject({
      systemMessage: expect.stringContaining("does not load"),
      hookSpecificOutput: { permissionDecisionReason: "good" },
    });
    expect([await say("a"), await say("b")]).toEqual([first, first]);
    writeFileSync(file, good("better"));
    expect(await say("a")).toEqual(JSON.parse(denial("better")));
    expect(JSON.parse((await running).text)).toEqual({ decision: "block", reason: "good" });
    writeFileSync(file, `import { word } from "./word.mjs"; ${good("best")}`);
    expect(await say("a")).toMatchObject({ systemMessage: expect.stringContaining("does not load") });
    world.file("word.mjs", "export const word = 1;");
    expect(await say("a")).toEqual(JSON.parse(denial("best")));
  });
});

describe("a handler that holds the thread", () => {
  test("is ended at its deadline and settles by its mode; others are answered by a fresh thread meanwhile", async () => {
    const hold = "for (const until = Date.now() + 60_000; Date.now() < until; ) ;";
    const file = world.file(
      "holds.mjs",
      app(`app.preTool("Bash", { onFailure: "block", timeoutMs: 4000 }, () => { ${hold} });
           app.postTool("Read", { timeoutMs: 1500 }, () => { ${hold} });
           app.onPrompt(() => sdk.context("quick"));`),
    );
    await world.serve(file);
    const send = (fields: object) => world.post(file, JSON.parse(event(fields)));
    const begun = Date.now();
    const strict = send({}).then((answer) => ({ answer: JSON.parse(answer.text), after: Date.now() - begun }));
    await new Promise((done) => setTimeout(done, 100));
    const quick = await Promise.all([
      send({ hook_event_name: "UserPromptSubmit" }),
      send({ hook_event_name: "UserPromptSubmit" }),
    ]);
    expect(quick.map(({ text }) => text.includes("quick"))).toEqual([true, true]);
    expect(Date.now() - begun).toBeLessThan(3_900);
    const soft = send({ hook_event_name: "PostToolUse", tool_name: "Read" });
    const { answer, after } = await strict;
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(after).toBeGreaterThan(3_900);
    expect(after).toBeLessThan(9_000);
    expect(JSON.parse((await soft).text)).toEqual({ systemMessage: expect.stringContaining("blocked its thread") });
    expect((await send({ hook_event_name: "UserPromptSubmit" })).text).toContain("quick");
    const noted = {
      event: "PreToolUse",
      session: "s",
      transport: "http",
      failed: expect.stringMatching(
        /^The handler \S+ of PreToolUse in .*holds\.mjs blocked its thread past the deadline/,
      ),
    };
    expect(world.log()).toContainEqual(expect.objectContaining(noted));
  });

  test("a call that had begun on the same thread is run again, and the log records it", async () => {
    const file = world.file(
      "beside.mjs",
      marking(`app.preTool("Bash", { timeoutMs: 1000 }, () => { for (;;) ; });
           app.onPrompt(async () => { mark("beside"); await new Promise((done) => setTimeout(done, 700)); return sdk.context("beside"); });`),
    );
    await world.serve(file);
    const beside = world.post(file, JSON.parse(event({ hook_event_name: "UserPromptSubmit", session_id: "beside" })));
    await marked("beside");
    const holding = world.post(file, JSON.parse(event()));
    expect((await beside).text).toContain("beside");
    await holding;
    await until("the log has it", () => world.log().some((one) => one["session"] === "beside"));
    expect(world.log().find((one) => one["session"] === "beside")).toMatchObject({ rerun: true });
  });

  test("an uncaught error and process.exit end no thread: the call settles by its mode", async () => {
    const file = world.file(
      "falls.mjs",
      app(`app.preTool("Bash", { name: "h", onFailure: "block" }, () => new Promise(() => setTimeout(() => { throw new Error("late"); })));
           app.preTool("Read", { name: "h", onFailure: "block" }, () => process.exit(0));
           app.preTool("Grep", { name: "h", onFailure: "block" }, async () => {
             Promise.reject(new Error("left"));
             await new Promise((done) => setTimeout(done, 50));
           });
           app.preTool("Glob", { name: "h", onFailure: "block" }, () => void Promise.reject(new Error("left")));`),
    );
    await world.serve(file);
    for (const tool_name of ["Bash", "Read", "Grep", "Glob"]) {
      const payload = (session_id: string) => event({ tool_name, session_id });
      const cold = await world.cli(["run", file, "--on-failure", "block"], { input: payload("cold") });
      expect(await world.client([file, "--on-failure", "block"], payload("warm"))).toEqual(cold);
      expect(world.log().at(-1)).not.toHaveProperty("inProcess");
      const { text } = await world.post(file, JSON.parse(payload("http")));
      expect(JSON.parse(text)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    }
  });
});

describe("a failure that belongs to no call", () => {
  const guard = `app.preTool("Bash", () => {});`;
  test.each([
    [
      "a microtask",
      `app.preTool("Bash", () => queueMicrotask(() => { throw new Error("x"); }));`,
      "exception in a hook: x",
    ],
    [
      "a queue of the file",
      `let add; const next = () => new Promise((done) => { add = done; }).then(() => { next(); throw new Error("x"); });
       next(); app.preTool("Bash", () => add());`,
      "rejection in a hook: x",
    ],
    ["a promise that the file leaves rejected", `Promise.reject(new Error("x")); ${guard}`, "rejection in a hook: x"],
    ["a timer of the file that throws", `setTimeout(() => { throw new Error("x"); }, 0); ${guard}`, "hook: x"],
    ["a timer of the file that exits", `setTimeout(() => process.exit(0), 0); ${guard}`, "process.exit(0) was called"],
  ])("refuses every call under block, with a line in the log: %s", async (name, text, why) => {
    const file = world.file(`${name.replaceAll(" ", "-")}.mjs`, app(text));
    await world.serve(file);
    const source = (await status(file))?.sourceHash;
    const logged = () => world.log().filter((one) => one["source"] === source && String(one["failed"]).includes(why));
    for (const count of [1, 2]) {
      const refused = { code: 2, stdout: "", stderr: expect.stringContaining(why) };
      expect(await world.client([file, "--on-failure", "block"], event())).toEqual(refused);
      // The log is written after the answer.
      await until("a line in the log", () => logged().length === count);
      expect(logged().at(-1)).not.toHaveProperty("inProcess");
    }
  });

  test("is reported once by the calls that do not block, and refuses the next call that does, when none runs", async () => {
    const failing = join(world.folder, "failing");
    const file = world.file(
      "strays.mjs",
      app(`import { existsSync, unlinkSync } from "node:fs";
           setInterval(() => {
             if (!existsSync(${JSON.stringify(failing)})) return;
             unlinkSync(${JSON.stringify(failing)});
             throw new Error("x");
           }, 10);
           app.preTool("Bash", { onFailure: "block" }, () => {});
           app.postTool("Bash", () => {});`),
    );
    await world.serve(file);
    const passed = await world.client([file], event());
    expect(passed).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(failing, "");
    await expect.poll(() => existsSync(failing)).toBe(false);
    const stderr = expect.stringContaining("Uncaught exception in a hook: x (strays.mjs:7:");
    const after = event({ hook_event_name: "PostToolUse", tool_response: {} });
    expect(await world.client([file], after)).toMatchObject({ code: 0, stderr });
    expect(await world.client([file], after)).toMatchObject({ code: 0, stderr: "" });
    expect(await world.client([file], event())).toMatchObject({ code: 2, stderr });
    expect(await world.client([file], event())).toEqual(passed);
  });

  test.each([
    ["an exception", `throw new Error("x");`],
    ["a rejected promise", `Promise.reject(new Error("x"));`],
    ["an error event", `new EventEmitter().emit("error", new Error("x"));`],
  ])("is one of a call that has its answer: %s refuses the next call, once, and is logged", async (name, code) => {
    const failing = join(world.folder, name);
    const hooks = `${name.replaceAll(" ", "-")}-later.mjs`;
    const file = world.file(
      hooks,
      app(`import { EventEmitter } from "node:events";
           import { existsSync, unlinkSync } from "node:fs";
           app.provide("link", () => setInterval(() => {
             if (!existsSync(${JSON.stringify(failing)})) return;
             unlinkSync(${JSON.stringify(failing)});
             ${code}
           }, 10), { scope: "process" });
           app.preTool("Bash", { onFailure: "block" }, (_, { link }) => void link);`),
    );
    await world.serve(file);
    const passed = await world.client([file], event());
    expect(passed).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(failing, "");
    await expect.poll(() => existsSync(failing)).toBe(false);
    const why = `in a hook: x (${hooks}:`;
    expect(await world.client([file], event())).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    expect(await world.client([file], event())).toEqual(passed);
    await until("a line in the log", () => world.log().some(({ failed }) => String(failed).includes(why)));
  });

  test("is reported on stderr and in the log under continue, and the handlers still answer", async () => {
    const text = `Promise.reject(new Error("x")); app.preTool("Bash", () => deny("no"));`;
    const file = world.file("stray-and-continue.mjs", app(text));
    await world.serve(file);
    const cold = await world.cli(["run", file], { input: event({ session_id: "cold" }) });
    expect(cold.stderr).toContain("Unhandled rejection in a hook: x");
    expect(await world.client([file], event({ session_id: "warm" }))).toEqual(cold);
    const isLogged = (one: Readonly<Record<string, unknown>>) =>
      one["transport"] === "client" && String(one["failed"]).includes("(stray-and-continue.mjs:");
    await until("a line in the log", () => world.log().some(isLogged));
  });
});

test("a promise that a handler leaves rejected is reported on stderr by the warm app as by run", async () => {
  const file = world.file("left.mjs", app(`app.preTool("Bash", () => void Promise.reject(new Error("left")));`));
  await world.serve(file);
  const cold = await world.cli(["run", file], { input: event({ session_id: "cold" }) });
  expect(cold.stderr).toContain("Unhandled rejection in a hook: left");
  expect(await world.client([file], event({ session_id: "warm" }))).toEqual(cold);
  const elsewhere = { cwd: world.folder };
  const there = await world.cli(["run", file], { input: event({ session_id: "cold 2" }), ...elsewhere });
  expect(await world.client([file], event({ session_id: "warm 2" }), elsewhere)).toEqual(there);
});

test("an unhandled rejection is logged under continue too", async () => {
  const file = world.file("leaves.mjs", app(`app.onStop(() => void Promise.reject(new Error("left")));`));
  await world.serve(file);
  expect((await world.post(file, JSON.parse(event({ hook_event_name: "Stop" })))).status).toBe(200);
  const failed = /^Unhandled rejection in a hook: left \(.*leaves\.mjs:3:\d+\)$/;
  await until("the log has it", () =>
    world.log().some((one) => one["event"] === "Stop" && failed.test(String(one["failed"]))),
  );
});

test("payloads are kept for tests, secrets masked, by run and by the daemon; hookline/testing reads them", async () => {
  const file = world.file("kept.mjs", guard);
  const folder = join(world.folder, "kept payloads");
  const payload = event({ tool_input: { command: "curl -H 'Authorization: Bearer abcdefghijklmnop'", api_key: "k" } });
  expect((await world.cli(["run", file, "--record", folder], { input: payload })).stdout).toBe(denial("no"));
  await world.serve(file, "--record", folder);
  await world.post(file, JSON.parse(payload));
  await world.client([file], event({ hook_event_name: "../Stop" }));
  const kept = await readRecorded(folder);
  const masked = JSON.parse(
    event({ tool_input: { command: "curl -H 'Authorization: Bearer [redacted]'", api_key: "[redacted]" } }),
  );
  expect(kept).toEqual({ PreToolUse: [masked, masked], unknown: [JSON.parse(event({ hook_event_name: "../Stop" }))] });
});

test("nothing but record, endpoint and socket is left in the folder of a daemon that runs", async () => {
  const file = world.file("tidy.mjs", guard);
  await world.serve(file);
  const names = readdirSync(join(world.folder, "state/daemon", appKey(file))).sort();
  expect(names).toEqual(["daemon.lock", "endpoint.json", "record", "socket"]);
  await world.cli(["serve", file, "--stop"]);
  expect(readdirSync(join(world.folder, "state/daemon", appKey(file)))).toEqual(["endpoint.json"]);
});

test("process-scoped providers are disposed on reload and on exit", async () => {
  const notes = join(world.folder, "notes");
  const holds = (word: string) =>
    app(`import { appendFileSync } from "node:fs";
      const note = (line) => appendFileSync(${JSON.stringify(notes)}, line + "\\n");
      app.provide("held", () => "${word}", { scope: "process", dispose: async (held) => {
        await new Promise((done) => setTimeout(done, 100));
        note("let go of " + held);
      } });
      app.preTool((_e, { held }) => sdk.deny(held));
      app.onStop(async (_e, { held }) => {
        await new Promise((done) => setTimeout(done, 800));
        note("last call of " + held);
        return sdk.block(held);
      });`);
  const file = world.file("lets-go.mjs", holds("one"));
  await world.serve(file);
  const noted = () => readFileSync(notes, "utf8").trimEnd().split("\n");
  const last = world.post(file, JSON.parse(event({ hook_event_name: "Stop" })));
  await new Promise((done) => setTimeout(done, 200));
  writeFileSync(file, holds("two"));
  expect((await world.post(file, JSON.parse(event()))).text).toBe(denial("two"));
  expect(JSON.parse((await last).text)).toMatchObject({ reason: "one" });
  await until("the old code has let go", () => noted().length === 2);
  await stopDaemon(file, { env: world.env });
  expect(noted()).toEqual(["last call of one", "let go of one", "let go of two"]);
});
