import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daemonStatus } from "../../src/daemon/index.ts";
import { recordPath, writeRecord } from "../../src/daemon/record.ts";
import { fixtures, testClient } from "../../src/sdk/testing/index.ts";
import { app, type DaemonWorld, denial, event, guard, isServed, openDaemonWorld, until } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

const lastLog = () => world.log().at(-1) as Record<string, unknown>;
/** The daemon writes its log once the answer is on its way. */
const ask: DaemonWorld["client"] = async (...call) => {
  const before = world.log().length;
  const ran = await world.client(...call);
  await until("a record in the log", () => world.log().length > before);
  return ran;
};

describe("SD-72, SD-79: from cold to warm", () => {
  test("the first call is answered in process and starts the daemon; the second is answered by it", async () => {
    const file = world.file("first.mjs", guard);
    expect(await ask([file], event())).toEqual({ code: 0, stdout: denial("no"), stderr: "" });
    expect(lastLog()).toMatchObject({ transport: "client", inProcess: "none" });
    await until("a daemon", () => isServed(world, file));
    expect(await ask([file], `${event()}\n`)).toEqual({ code: 0, stdout: denial("no"), stderr: "" });
    const { sourceHash } = (await daemonStatus(file, { env: world.env })) ?? {};
    expect(lastLog()).toMatchObject({ transport: "client", source: sourceHash, answer: "refused" });
    expect(lastLog()).not.toHaveProperty("inProcess");
  });

  test("exit status, output and errors come back as they are; what handlers print goes to stderr", async () => {
    const file = world.file(
      "plain.mjs",
      app(`app.onTaskCreated(() => { console.log("printed"); return sdk.block("not now"); });
           app.onPreCompact((_e, { log }) => { log.warn("careful"); return [sdk.context("keep\\nthis"), sdk.systemMessage("aside")]; });
           app.onWorktreeCreate(() => sdk.block("no room"));`),
    );
    await world.serve(file);
    for (const name of ["TaskCreated", "PreCompact", "WorktreeCreate"]) {
      const payload = event({ hook_event_name: name });
      const cold = await world.cli(["run", file], { input: payload });
      const warm = await ask([file], payload);
      expect(warm).toEqual(cold);
      expect(lastLog()).not.toHaveProperty("inProcess");
    }
    expect(await ask([file], event({ hook_event_name: "TaskCreated" }))).toEqual({
      code: 2,
      stdout: "",
      stderr: "printed\nnot now\n",
    });
  });

  test("payloads of one byte more or less than the shell reads, of 300 KiB, without newline, and answers as large", async () => {
    const file = world.file("sizes.mjs", app(`app.preTool(({ input }) => sdk.deny(input.command));`));
    await world.serve(file);
    const bare = event({ tool_input: { command: "" } }).length;
    const sizes = [2046, 2047, 2048, 2049, 70_000, 300_000].map((size) => size - bare);
    for (const size of sizes) {
      const command = `ä${"x".repeat(size - 2)}`;
      const payload = event({ tool_input: { command } });
      for (const input of [payload, `${payload}\n`]) {
        expect(await ask([file], input)).toEqual({ code: 0, stdout: denial(command), stderr: "" });
        expect(lastLog()).not.toHaveProperty("inProcess");
      }
    }
  });

  test("paths with blanks, signs and letters of all kinds, longer than a file's name may be, are found warm", async () => {
    const folder = join(world.project, `50%2F off ${"long ".repeat(30)}`, "ü".repeat(80), '$(x) `y` "z"');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "hooks.mjs");
    writeFileSync(file, guard);
    await world.serve(file);
    expect((await ask([file], event())).stdout).toBe(denial("no"));
    expect(lastLog()).not.toHaveProperty("inProcess");
    await world.cli(["serve", file, "--stop"]);
  });

  test("a host that leaves standard input open is answered, with and without a newline", async () => {
    const file = world.file("open.mjs", guard);
    await world.serve(file);
    for (const input of [event(), `${event()}\n`, event({ tool_input: { a: { b: {} } } })]) {
      expect((await ask([file], input, { open: true })).stdout).toBe(denial("no"));
      expect(lastLog()).not.toHaveProperty("inProcess");
    }
  });

  test("a payload of several lines, one in pieces and one that is none take the in-process path", async () => {
    const file = world.file("lines.mjs", guard);
    await world.serve(file);
    const odd = JSON.stringify(JSON.parse(event()), null, 2);
    expect((await ask([file], odd)).stdout).toBe(denial("no"));
    expect(lastLog()).toMatchObject({ inProcess: "refused" });
    expect(await ask([file], "{]}\n")).toMatchObject({ code: 1, stdout: expect.stringContaining("no JSON") });
    expect(await ask([file, "--on-failure", "block"], "{}\n")).toMatchObject({ code: 2, stdout: "" });
  });

  test("SD-42: cwd and env are the caller's, not the daemon's", async () => {
    const file = world.file(
      "around.mjs",
      app(
        `app.preTool((_e, { env, cwd, projectDir }) => sdk.deny([env.COLOUR, env.LC_ALL, cwd, projectDir].join(" ")));`,
      ),
    );
    await world.serve(file);
    const asked = { cwd: world.folder, env: { COLOUR: "bl\u00fce\nish", LC_ALL: "POSIX", CLAUDE_PROJECT_DIR: "/p" } };
    const warm = await ask([file], event(), asked);
    expect(lastLog()).not.toHaveProperty("inProcess");
    expect(warm).toEqual({ code: 0, stdout: denial(`bl\u00fce\nish POSIX ${world.folder} /p`), stderr: "" });
    expect(warm).toEqual(await world.cli(["run", file], { ...asked, input: event() }));
  });

  test("SD-70: HOOKLINE=0 is no opinion, noted in the log", async () => {
    const file = world.file("off.mjs", guard);
    await world.serve(file);
    expect(await ask([file], event(), { env: { HOOKLINE: "0" } })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(lastLog()).toMatchObject({ off: true, transport: "client" });
  });
});

test("SD-102: every fixture through run, the client, http and the test client: equal byte for byte", async () => {
  const file = world.file(
    "all.mjs",
    app(`
      app.preTool("Bash", ({ input }) => [sdk.ask("sure?"), sdk.updateInput({ ...input, command: "true" }), sdk.context("c")]);
      app.onPermission(() => sdk.denyPermission("no", { interrupt: true })).onPermissionDenied(() => sdk.retry());
      app.postTool(({ response }) => [sdk.mapOutput((text) => text.toUpperCase()), sdk.context("after")]);
      app.postToolFailure(() => sdk.block("failed")).onToolBatch(() => sdk.context("batch"));
      app.onPrompt(() => [sdk.context("p"), sdk.sessionTitle("t")]).onPromptExpansion(() => sdk.block("x", { hidePrompt: true }));
      app.onSessionStart(() => [sdk.context("hi"), sdk.watchPaths("/a")]).onSetup(() => sdk.context("set"));
      app.onStop(() => sdk.block("go on")).onSubagentStop(() => sdk.halt("end")).onSubagentStart(() => sdk.context("sub"));
      app.onTaskCreated(() => sdk.block("t")).onTeammateIdle(() => sdk.block("i")).onConfigChange(() => sdk.block("c"));
      app.onPreCompact(() => sdk.context("keep")).onWorktreeCreate(() => sdk.worktree("/w"));
      app.onMessageDisplay(() => sdk.display("shown")).onElicitation(() => sdk.elicit("accept", { name: "n" }));
      app.onElicitationResult(() => sdk.block("no")).onCwdChanged(() => sdk.watchPaths("/b"));
      app.onPreModelSwitch(() => sdk.deny("stay")).onPostModelSwitch(() => sdk.context("new"));
      app.onNotification(() => { throw new Error("broken"); }).onSessionEnd(() => { throw new Error("late"); });
    `),
  );
  await world.serve(file);
  const { default: tested } = (await import(file)) as { default: never };
  const names = Object.keys(fixtures) as (keyof typeof fixtures)[];
  expect(names.length).toBeGreaterThan(30);
  for (const name of names) {
    const payload = (session_id: string) => ({ ...fixtures[name](), session_id });
    const inTest = await testClient(tested).raw(payload("test"));
    const cold = await world.cli(["run", file], { input: JSON.stringify(payload("cold")) });
    const warm = await ask([file], `${JSON.stringify(payload("warm"))}\n`);
    const http = await world.post(file, payload("http"));
    expect({ name, ...warm }).toEqual({ name, ...cold });
    expect({ name, code: inTest.exitCode, stdout: inTest.stdout }).toEqual({
      name,
      code: cold.code,
      stdout: cold.stdout,
    });
    expect(http.status).toBe(200);
    if (inTest.wire) expect({ name, text: http.text }).toEqual({ name, text: cold.stdout });
    else if (cold.stdout === "" && cold.code === 0) expect(http.text).toBe("{}");
  }
});

describe("SD-74, SD-80, SD-81: when the daemon is not what it should be", () => {
  test("killed: the call is answered in process and the next finds a new one; a recycled number is not taken for it", async () => {
    const file = world.file("killed.mjs", guard);
    const { pid } = await world.serve(file);
    process.kill(pid, "SIGKILL");
    await until("it is gone", async () => !(await isServed(world, file)));
    expect((await ask([file], event())).stdout).toBe(denial("no"));
    expect(lastLog()).toMatchObject({ inProcess: "none" });
    await until("a daemon", () => isServed(world, file));
    const status = await daemonStatus(file, { env: world.env });
    expect(status?.pid).not.toBe(pid);
  });

  test("a recycled number and a stranger on the port: our token is not told, the stranger's answer is not taken", async () => {
    const file = world.file("stranger.mjs", guard);
    const { pid } = await world.serve(file);
    const text = readFileSync(recordPath(file, world.env), "utf8").split("\n");
    const [, , start = "", , , token = "", secret = "", version = ""] = (text[0] ?? "").split(" ");
    process.kill(pid, "SIGKILL");
    await until("it is gone", async () => !(await isServed(world, file)));
    const heard: string[] = [];
    const stranger = createServer((request, reply) => {
      heard.push(String(request.headers.authorization));
      const lengths = `000 ${"2".padStart(8, "0")} ${"0".padStart(8, "0")}`;
      const Hookline = `${"0".repeat(64)} ${lengths} ${"0".repeat(64)} ${version}`;
      reply.sendDate = false;
      reply.writeHead(200, { Hookline, "Content-Length": "0000000002", Connection: "close" });
      reply.end("{}");
    });
    await new Promise<void>((done) => stranger.listen(0, "127.0.0.1", () => done()));
    const { port } = stranger.address() as { port: number };
    const record = {
      port,
      token,
      secret,
      version,
      sourceHash: "",
      since: 1,
      node: process.execPath,
      socket: "",
      hooksFile: file,
    };
    // The number is ours and alive, but another process was meant.
    await writeRecord({ ...record, pid: process.pid, start: "1" }, world.env);
    expect((await ask([file], event())).stdout).toBe(denial("no"));
    expect([heard, lastLog()]).toMatchObject([[], { inProcess: "none" }]);
    await until("a daemon", () => isServed(world, file));
    // The very process: it is asked, but it does not know the secret.
    const own = readFileSync(`/proc/${process.pid}/stat`, "utf8");
    const ownStart = own.slice(own.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    await world.cli(["serve", file, "--stop"]);
    await writeRecord({ ...record, pid: process.pid, start: ownStart }, world.env);
    expect((await ask([file], event())).stdout).toBe(denial("no"));
    expect([heard.length, lastLog()]).toMatchObject([1, { inProcess: "rerun", rerun: true }]);
    expect(start).not.toBe("1");
    stranger.close();
    rmSync(recordPath(file, world.env));
  });

  test("hung: two seconds of silence, then in process; a stopped daemon that goes on again answers again", async () => {
    const file = world.file("hung.mjs", guard);
    const { pid } = await world.serve(file);
    process.kill(pid, "SIGSTOP");
    const begun = Date.now();
    const small = await ask([file], event());
    const large = await ask([file], event({ more: "x".repeat(3_000_000) }));
    const took = Date.now() - begun;
    process.kill(pid, "SIGCONT");
    expect([small.stdout, large.stdout]).toEqual([denial("no"), denial("no")]);
    expect(took).toBeGreaterThan(3_900);
    expect(lastLog()).toMatchObject({ inProcess: "hung" });
    await ask([file], event());
    expect(lastLog()).not.toHaveProperty("inProcess");
  });

  test("a handler that takes longer than two seconds is waited for", async () => {
    const file = world.file(
      "slow.mjs",
      app(
        `app.preTool(async () => { await new Promise((done) => setTimeout(done, 3300)); return sdk.deny("late"); });`,
      ),
    );
    await world.serve(file);
    expect(await ask([file], event())).toEqual({ code: 0, stdout: denial("late"), stderr: "" });
    expect(lastLog()).not.toHaveProperty("inProcess");
  });

  test("nothing can be started: the failure mode decides", async () => {
    const file = world.file("nowhere.mjs", guard);
    const env = { PATH: "/nonexistent" };
    expect(await world.client([file, "--on-failure", "block"], event(), { env })).toMatchObject({
      code: 2,
      stdout: "",
    });
    const told = await world.client([file], event(), { env });
    expect([told.code, JSON.parse(told.stdout)]).toEqual([
      1,
      { systemMessage: expect.stringContaining("cannot be started") },
    ]);
  });

  test("a link in the place of the hooks file that leads elsewhere by now is noticed", async () => {
    const one = world.file("one.mjs", app(`app.preTool(() => sdk.deny("one"));`));
    const two = world.file("two.mjs", app(`app.preTool(() => sdk.deny("two"));`));
    const link = join(world.project, "linked.mjs");
    symlinkSync(one, link);
    await world.serve(link);
    expect((await ask([link], event())).stdout).toBe(denial("one"));
    expect(lastLog()).not.toHaveProperty("inProcess");
    rmSync(link);
    symlinkSync(two, link);
    expect((await ask([link], event())).stdout).toBe(denial("two"));
    expect(lastLog()).toMatchObject({ inProcess: "refused" });
  });
});

test("the client carries the package's version", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(readFileSync("client/hookline-client", "utf8")).toContain(`\nversion=${version}\n`);
});
