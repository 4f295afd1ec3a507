import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daemonStatus } from "../../src/daemon/internal.ts";
import { linkRecord, openDaemonFolder, recordPath, writeDaemon } from "../../src/daemon/record-file.ts";
import { survivorsOf } from "../../src/exec/end-tree.ts";
import { processStart } from "../../src/files/internal.ts";
import { compileClient } from "../../src/install/client/compile-client.ts";
import { fixtures, testClient } from "../../src/sdk/testing/index.ts";
import { until } from "../until.ts";
import { listening, removeFakeRecords, standInNode, writeFakeRecord } from "./fake-daemon.ts";
import {
  app,
  type ClientForm,
  clientForms,
  type DaemonWorld,
  denial,
  event,
  guard,
  isServed,
  openDaemonWorld,
} from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

const { version: ownVersion } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const lastLog = () => world.log().at(-1) as Record<string, unknown>;
/** The daemon writes its log once the answer is on its way. */
const asker =
  (form: ClientForm): DaemonWorld["client"] =>
  async (words, input, options) => {
    const before = world.log().length;
    const ran = await world.client(words, input, { form, ...options });
    await until("a record in the log", () => world.log().length > before);
    return ran;
  };
const askers = clientForms.map(asker);

describe("from cold to warm", () => {
  test.each(clientForms)(
    "the first call of the %s is answered in process and starts the daemon; the second is answered by it",
    async (form) => {
      const ask = asker(form);
      const file = world.file(`${form}-first.mjs`, guard);
      expect(await ask([file], event())).toEqual({ code: 0, stdout: denial("no"), stderr: "" });
      expect(lastLog()).toMatchObject({ transport: "client", inProcess: "none" });
      await until("a daemon", () => isServed(world, file));
      expect(await ask([file], `${event()}\n`)).toEqual({ code: 0, stdout: denial("no"), stderr: "" });
      const { sourceHash } = (await daemonStatus(file, { env: world.env })) ?? {};
      expect(lastLog()).toMatchObject({ transport: "client", source: sourceHash, answer: "refused" });
      expect(lastLog()).not.toHaveProperty("inProcess");
    },
  );

  test.each(clientForms)(
    "the first call of the %s leaves nothing behind that a host would report as a leak",
    async (form) => {
      const file = world.file(`${form}-alone.mjs`, guard);
      const tag = { name: "HOOKLINE_RUN", value: `t-${form}` };
      const options = { cwd: world.project, env: { ...world.env, [tag.name]: tag.value }, detached: true };
      const child = spawn(await world.clientPath(form), [file], options);
      child.stdin.end(event());
      await once(child, "exit");
      expect(await survivorsOf({ pid: Number(child.pid), tag })).toEqual([]);
      await until("a daemon", () => isServed(world, file));
    },
  );

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
      for (const ask of askers) {
        const warm = await ask([file], payload);
        expect(warm).toEqual(cold);
        expect(lastLog()).not.toHaveProperty("inProcess");
        if (name === "TaskCreated") expect(warm).toEqual({ code: 2, stdout: "", stderr: "printed\nnot now\n" });
      }
    }
  });

  test("of 100 MiB that a handler prints the first 16 arrive, with a note, and the answer arrives whole", async () => {
    const print = `for (let n = 0; n < 100; n++) console.log("x".repeat(2 ** 20 - 1));`;
    const file = world.file("prints.mjs", app(`app.preTool(() => { ${print} return sdk.deny("no"); });`));
    await world.serve(file);
    const printed = `${"x".repeat(2 ** 20 - 1)}\n`.repeat(16);
    for (const ask of askers) {
      const { code, stdout, stderr } = await ask([file], event());
      expect([code, stdout]).toEqual([0, denial("no")]);
      expect(stderr === `${printed}\nhookline: The rest of the output was cut.\n`).toBe(true);
      expect(lastLog()).not.toHaveProperty("inProcess");
    }
  });

  test("payloads around the size that the shell reads, of 300 KiB and without newline, and answers as large, arrive whole", async () => {
    const file = world.file("sizes.mjs", app(`app.preTool(({ input }) => sdk.deny(input.command));`));
    await world.serve(file);
    const bare = event({ tool_input: { command: "" } }).length;
    const sizes = [2046, 2047, 2048, 2049, 70_000, 300_000].map((size) => size - bare);
    for (const size of sizes) {
      const command = `ä${"x".repeat(size - 2)}`;
      const payload = event({ tool_input: { command } });
      for (const ask of askers) {
        for (const input of [payload, `${payload}\n`]) {
          expect(await ask([file], input)).toEqual({ code: 0, stdout: denial(command), stderr: "" });
          expect(lastLog()).not.toHaveProperty("inProcess");
        }
      }
    }
  });

  test("paths with blanks, symbols and letters of all kinds, longer than a file's name may be, are found warm", async () => {
    const folder = join(world.project, `50%2F off ${"long ".repeat(30)}`, "ü".repeat(80), '$(x) `y` "z"');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "hooks.mjs");
    writeFileSync(file, guard);
    await world.serve(file);
    for (const ask of askers) {
      expect((await ask([file], event())).stdout).toBe(denial("no"));
      expect(lastLog()).not.toHaveProperty("inProcess");
    }
    await world.cli(["serve", file, "--stop"]);
  });

  test("a host that leaves standard input open is answered, with and without a newline", async () => {
    const file = world.file("open.mjs", guard);
    await world.serve(file);
    for (const input of [event(), `${event()}\n`, event({ tool_input: { a: { b: {} } } })]) {
      for (const ask of askers) {
        expect((await ask([file], input, { open: true })).stdout).toBe(denial("no"));
        expect(lastLog()).not.toHaveProperty("inProcess");
      }
    }
  });

  test("a payload of several lines, and one that is not a valid event, take the in-process path", async () => {
    const file = world.file("lines.mjs", guard);
    await world.serve(file);
    const odd = JSON.stringify(JSON.parse(event()), null, 2);
    for (const ask of askers) {
      expect((await ask([file], odd)).stdout).toBe(denial("no"));
      expect(lastLog()).toMatchObject({ inProcess: "refused" });
      expect(await ask([file], "{]}\n")).toMatchObject({ code: 1, stdout: expect.stringContaining("not valid JSON") });
      expect(await ask([file, "--on-failure", "block"], "{}\n")).toMatchObject({ code: 2, stdout: "" });
    }
  });

  test("cwd and env are the caller's, not the daemon's", async () => {
    const file = world.file(
      "around.mjs",
      app(
        `app.preTool((_e, { env, cwd, projectDir }) => sdk.deny([env.COLOUR, env.LC_ALL, cwd, projectDir].join(" ")));`,
      ),
    );
    await world.serve(file);
    const asked = { cwd: world.folder, env: { COLOUR: "bl\u00fce\nish", LC_ALL: "POSIX", CLAUDE_PROJECT_DIR: "/p" } };
    const cold = await world.cli(["run", file], { ...asked, input: event() });
    expect(cold).toEqual({ code: 0, stdout: denial(`bl\u00fce\nish POSIX ${world.folder} /p`), stderr: "" });
    for (const ask of askers) {
      expect(await ask([file], event(), asked)).toEqual(cold);
      expect(lastLog()).not.toHaveProperty("inProcess");
    }
  });

  test("HOOKLINE=0 means no opinion, and the log notes it", async () => {
    const file = world.file("off.mjs", guard);
    await world.serve(file);
    for (const ask of askers) {
      const silent = await ask([file], event(), { env: { HOOKLINE: "0" } });
      expect(silent).toEqual({ code: 0, stdout: "", stderr: "" });
      expect(lastLog()).toMatchObject({ off: true, transport: "client" });
    }
  });
});

test("run, the client, http and the test client answer every fixture byte for byte the same", async () => {
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
    for (const form of clientForms) {
      const warm = await asker(form)([file], `${JSON.stringify(payload(`warm ${form}`))}\n`);
      expect({ name, form, ...warm }).toEqual({ name, form, ...cold });
    }
    const http = await world.post(file, payload("http"));
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

describe("when the daemon is not what it should be", () => {
  test.each(clientForms)(
    "after a kill the call of the %s is answered in process and the next finds a new daemon; a reused process id is not taken for it",
    async (form) => {
      const ask = asker(form);
      const file = world.file(`${form}-killed.mjs`, guard);
      const { pid } = await world.serve(file);
      process.kill(pid, "SIGKILL");
      await until("the daemon has exited", async () => !(await isServed(world, file)));
      expect((await ask([file], event())).stdout).toBe(denial("no"));
      expect(lastLog()).toMatchObject({ inProcess: "none" });
      await until("a daemon", () => isServed(world, file));
      const status = await daemonStatus(file, { env: world.env });
      expect(status?.pid).not.toBe(pid);
    },
  );

  test.each(clientForms)(
    "with a reused process id and another process on the port, the %s neither sends our token nor takes the answer",
    async (form) => {
      const ask = asker(form);
      const file = world.file(`${form}-stranger.mjs`, guard);
      const { pid } = await world.serve(file);
      const text = readFileSync(recordPath(file, world.env), "utf8").split("\n");
      const [, , start = "", , , token = "", secret = "", version = ""] = (text[0] ?? "").split(" ");
      process.kill(pid, "SIGKILL");
      await until("the daemon has exited", async () => !(await isServed(world, file)));
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
      await writeDaemon({ ...record, pid: process.pid, start: "1" }, world.env);
      expect((await ask([file], event())).stdout).toBe(denial("no"));
      expect([heard, lastLog()]).toMatchObject([[], { inProcess: "none" }]);
      await until("a daemon", () => isServed(world, file));
      // The very process: it is asked, but it does not know the secret.
      const own = readFileSync(`/proc/${process.pid}/stat`, "utf8");
      const ownStart = own.slice(own.lastIndexOf(")") + 2).split(" ")[19] ?? "";
      await world.cli(["serve", file, "--stop"]);
      await writeDaemon({ ...record, pid: process.pid, start: ownStart }, world.env);
      expect((await ask([file], event())).stdout).toBe(denial("no"));
      expect([heard.length, lastLog()]).toMatchObject([1, { inProcess: "rerun", rerun: true }]);
      expect(start).not.toBe("1");
      stranger.close();
      rmSync(recordPath(file, world.env));
    },
  );

  test("an answer that is cut short, or says what no daemon says, is not taken for a permission", async () => {
    const [token, secret, version] = ["1".repeat(64), "2".repeat(64), ownVersion];
    const whole = (code: string, out = "00000002", body = "{}") =>
      `HTTP/1.1 200 OK\r\nHookline: ${secret} ${code} ${out} 00000000 ${"0".repeat(64)} ${version}\r\nContent-Length: 0000000002\r\nConnection: close\r\n\r\n${body}`;
    const odd = ["", "garbage\r\n\r\n", whole("000").slice(0, 90), whole("000", "00000003"), whole("256")];
    const answers = clientForms.flatMap((form) =>
      [...odd, ...(form === "compiled" ? [whole("0x0"), whole("000", "-0000002")] : [])].map((text) => ({
        form,
        text,
      })),
    );
    const start = processStart(process.pid) ?? "";
    const asked = answers.map(async ({ form, text }, index) => {
      const file = world.file(`odd-${index}.mjs`, guard);
      const server = createTcpServer((peer) => peer.on("error", () => undefined).once("data", () => peer.end(text)));
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
      const { port } = server.address() as { port: number };
      const own = { pid: process.pid, start, port, token, secret, version, sourceHash: "", since: 1 };
      await openDaemonFolder(file, world.env);
      await writeDaemon({ ...own, node: process.execPath, socket: "", hooksFile: file }, world.env);
      await linkRecord(file, world.env);
      const { code, stdout } = await world.client([file, "--on-failure", "block"], event(), { form });
      server.close();
      rmSync(recordPath(file, world.env));
      // A process that falls over under `block` is a refusal, too.
      return { text, refused: stdout === denial("no") || (code === 2 && stdout === "") };
    });
    expect(await Promise.all(asked)).toEqual(answers.map(({ text }) => ({ text, refused: true })));
  });

  test("a hung daemon costs two seconds, then the call runs in process; a stopped daemon that continues answers again", async () => {
    const file = world.file("hung.mjs", guard);
    const { pid } = await world.serve(file);
    process.kill(pid, "SIGSTOP");
    const begun = Date.now();
    const all = (input: string) => Promise.all(clientForms.map((form) => world.client([file], input, { form })));
    const small = await all(event());
    const large = await all(event({ more: "x".repeat(3_000_000) }));
    const took = Date.now() - begun;
    process.kill(pid, "SIGCONT");
    const answers = new Set([...small, ...large].map(({ stdout }) => stdout));
    expect(answers).toEqual(new Set([denial("no")]));
    expect(took).toBeGreaterThan(3_900);
    const whys = world
      .log()
      .slice(-2 * clientForms.length)
      .map(({ inProcess }) => inProcess);
    expect(whys).toEqual(
      clientForms
        .flatMap(() => ["rerun", "hung"])
        .sort()
        .reverse(),
    );
    for (const ask of askers) {
      await ask([file], event());
      expect(lastLog()).not.toHaveProperty("inProcess");
    }
  });

  test("the process of the app gets the seconds that a daemon used before it failed", async () => {
    const file = world.file("used.mjs", guard);
    const { server, port } = await listening((peer) =>
      peer.once("data", () => peer.end("HTTP/1.1 102 Processing\r\n\r\n".repeat(3))),
    );
    await writeFakeRecord(world, file, ownVersion, { port, node: standInNode(world, 'echo "$*"') });
    for (const form of clientForms) {
      const { stdout } = await world.client([file, "--on-failure", "block"], event(), { form });
      expect(stdout).toContain("--on-failure block --because rerun --spent 3 --head 4");
    }
    server.close();
    removeFakeRecords();
  });

  test("a handler that takes longer than two seconds is waited for", async () => {
    const file = world.file(
      "slow.mjs",
      app(
        `app.preTool(async () => { await new Promise((done) => setTimeout(done, 3300)); return sdk.deny("late"); });`,
      ),
    );
    await world.serve(file);
    const before = world.log().length;
    const late = await Promise.all(clientForms.map((form) => world.client([file], event(), { form })));
    expect(late).toEqual(clientForms.map(() => ({ code: 0, stdout: denial("late"), stderr: "" })));
    await until("records in the log", () => world.log().length === before + clientForms.length);
    expect(
      world
        .log()
        .slice(before)
        .some((one) => "inProcess" in one),
    ).toBe(false);
  });

  test.each(clientForms)("when nothing can be started, the failure mode decides: %s", async (form) => {
    const file = world.file(`${form}-nowhere.mjs`, guard);
    const env = { PATH: "/nonexistent" };
    expect(await world.client([file, "--on-failure", "block"], event(), { env, form })).toMatchObject({
      code: 2,
      stdout: "",
    });
    const result = await world.client([file], event(), { env, form });
    expect([result.code, JSON.parse(result.stdout)]).toEqual([
      1,
      { systemMessage: expect.stringContaining("There is no Node in PATH") },
    ]);
  });

  test("a link in the place of the hooks file that now leads elsewhere is noticed", async () => {
    const one = world.file("one.mjs", app(`app.preTool(() => sdk.deny("one"));`));
    const two = world.file("two.mjs", app(`app.preTool(() => sdk.deny("two"));`));
    const link = join(world.project, "linked.mjs");
    symlinkSync(one, link);
    await world.serve(link);
    for (const ask of askers) {
      expect((await ask([link], event())).stdout).toBe(denial("one"));
      expect(lastLog()).not.toHaveProperty("inProcess");
    }
    rmSync(link);
    symlinkSync(two, link);
    for (const ask of askers) {
      expect((await ask([link], event())).stdout).toBe(denial("two"));
      expect(lastLog()).toMatchObject({ inProcess: "refused" });
    }
  });

  test("a record of another owner is not believed", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give a file away");
    const file = world.file("foreign.mjs", guard);
    const { pid } = await world.serve(file);
    chownSync(recordPath(file, world.env), 12345, 12345);
    for (const ask of askers) {
      expect((await ask([file, "--on-failure", "block"], event())).stdout).toBe(denial("no"));
      expect(lastLog()).toMatchObject({ inProcess: "none" });
    }
    process.kill(pid);
  });
});

test("the client carries the package's version", () => {
  expect(readFileSync("client/hookline-client", "utf8")).toContain(`\nhookline_version=${ownVersion}\n`);
});

describe.runIf(clientForms.includes("compiled"))("the compiled client and its package", () => {
  const call = { form: "compiled" } as const;

  test("an upgraded package is asked by its own script; one that was removed is a failure, and the mode decides", async () => {
    const file = world.file("upgraded.mjs", guard);
    await world.clientPath("compiled");
    const script = await world.clientPath("script");
    const text = readFileSync(script, "utf8");
    writeFileSync(script, "#!/bin/bash -p\nversion=9.9.9\nread -r line; printf '%s' \"$# $line\"; exit 7\n");
    try {
      const upgraded = await world.client([file, "--on-failure", "block"], event(), call);
      expect(upgraded).toEqual({ code: 7, stdout: `3 ${event()}`, stderr: "" });
      rmSync(script);
      const blocked = await world.client([file, "--on-failure", "block"], event(), call);
      expect(blocked).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("no longer exists") });
      const result = await world.client([file], event(), call);
      expect([result.code, JSON.parse(result.stdout)]).toEqual([
        1,
        { systemMessage: expect.stringContaining("Install hookline again") },
      ]);
    } finally {
      writeFileSync(script, text, { mode: 0o755 });
    }
  });

  test("the script hands over to the compiled client where it finds it, under its own name, so that the daemon answers, unless the environment forbids it", async () => {
    const file = world.file("handed-over.mjs", guard);
    const home = { env: world.env };
    const made = await compileClient({ packageRoot: join(world.folder, "package"), home, env: process.env });
    if ("why" in made) throw new Error(made.why);
    await world.serve(file);
    // A daemon on a busy machine may be too late for one call, not for all.
    const asked = async () => {
      const { stdout } = await world.client([file], event(), { env: { HOOKLINE_CLIENT: "" } });
      return [stdout, lastLog()["transport"], lastLog()["inProcess"]];
    };
    await expect.poll(asked, { timeout: 15_000 }).toEqual([denial("no"), "client", undefined]);
    writeFileSync(made.program, '#!/bin/sh\necho "$@"\n');
    const handed = await world.client([file, "--on-failure", "block"], event(), { env: { HOOKLINE_CLIENT: "" } });
    expect(handed).toEqual({ code: 0, stdout: `${file} --on-failure block\n`, stderr: "" });
    expect((await asker("script")([file], event())).stdout).toBe(denial("no"));
    rmSync(join(made.program, "..", ".."), { recursive: true });
  });
});
