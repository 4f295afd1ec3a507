import { execFileSync, fork, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkNameParts, recordPath } from "../../src/daemon/record-file.ts";
import { scriptName } from "../../src/install/client/compiled-client.ts";
import { listening, removeFakeRecords, standInNode, wholeAnswer, writeFakeRecord } from "./fake-daemon.ts";
import { app, clientForms, type DaemonWorld, event, guard, openDaemonWorld, type Ran } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => {
  removeFakeRecords();
  return world.remove();
});

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const block = ["--on-failure", "block"];
/** What a replacement for Node does when the client runs the app: it records the call and fails. */
const fallsOver = "cat <&4 >/dev/null; echo ran >&2; kill -ABRT $$";

/** The client in front of a daemon that the test plays; the app is run by a stand-in for Node. */
async function facing(
  form: (typeof clientForms)[number],
  name: string,
  play: (peer: Socket) => void,
  words: readonly string[] = block,
  input = event(),
): Promise<Ran & { readonly ms: number }> {
  const file = world.file(`${form}-${name}.mjs`, guard);
  const { server, port } = await listening(play);
  await writeFakeRecord(world, file, version, { port, node: standInNode(world, fallsOver) });
  const begun = Date.now();
  const ran = await world.client([file, ...words], input, { form });
  server.close();
  return { ...ran, ms: Date.now() - begun };
}

describe.each(clientForms)("fail-closed in the %s client", (form) => {
  test("the name of an event in the payload's text does not change what a crash means", async () => {
    const hangUp = (peer: Socket) => void peer.once("data", () => peer.end());
    const texts = ["rm x", "rm x # WorktreeCreate", '"hook_event_name":"WorktreeCreate"'];
    const asked = texts.flatMap((command, index) => {
      const input = event({ tool_input: { command } });
      return [[], ["--event", "PreToolUse"], ["--event=PreToolUse"]].map((words, way) =>
        facing(form, `word-${index}-${way}`, hangUp, [...block, ...words], input),
      );
    });
    const seen = (await Promise.all(asked)).map(({ code, stdout, stderr }) => ({
      code,
      stdout,
      ran: /ran/.test(stderr),
    }));
    expect(seen).toEqual(seen.map(() => ({ code: 2, stdout: "", ran: true })));
  });

  test("an entry for WorktreeCreate keeps the status of the app, and no status but 0 lets it pass", async () => {
    const hangUp = (peer: Socket) => void peer.once("data", () => peer.end());
    const { code } = await facing(form, "worktree", hangUp, ["--event", "WorktreeCreate", ...block]);
    expect(code).toBe(134);
  });

  test("a daemon that stops at any byte of its answer times out after two seconds", async () => {
    const whole = wholeAnswer(version);
    const still = "HTTP/1.1 102 Processing\r\n\r\n";
    const starts = ["", whole.slice(0, 5), whole.slice(0, 12), whole.slice(0, 13), whole.slice(0, 100)];
    const later = [
      whole.slice(0, whole.length - 2),
      whole.slice(0, -1),
      still.slice(0, 20),
      still,
      `${still}${still}HTTP`,
    ];
    const all = [...starts, ...later];
    const asked = all.map((text, index) =>
      facing(form, `stops-${index}`, (peer) => void peer.once("data", () => peer.write(text))),
    );
    const seen = (await Promise.all(asked)).map(({ code, stdout, ms }) => ({ code, stdout, inTime: ms < 15_000 }));
    expect(seen).toEqual(all.map(() => ({ code: 2, stdout: "", inTime: true })));
  });

  test("a daemon with the right secret is believed, also when its answer comes in single bytes", async () => {
    const whole = wholeAnswer(version, "000", `{"systemMessage":"${"x".repeat(70_000)}"}`);
    const slow = async (peer: Socket) => {
      for (const byte of whole.slice(0, 300)) {
        peer.write(byte);
        await new Promise(setImmediate);
      }
      peer.end(whole.slice(300));
    };
    const ran = await facing(form, "bytes", (peer) => void peer.once("data", () => void slow(peer)));
    expect([ran.code, ran.stdout.length, ran.stderr]).toEqual([0, 70_020, ""]);
  });

  test("a connection that is never accepted times out after two seconds", async () => {
    const file = world.file(`${form}-queue.mjs`, guard);
    const program = join(world.folder, `${form}-queue-server.cjs`);
    const listen = `require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }`;
    writeFileSync(program, `const s = ${listen}, () => process.send(s.address().port));`);
    const server = fork(program);
    const port = await new Promise<number>((done) => server.once("message", (message) => done(Number(message))));
    server.kill("SIGSTOP");
    const fillers = Array.from({ length: 4 }, () => connect({ port, host: "127.0.0.1" }).on("error", () => undefined));
    await new Promise((done) => setTimeout(done, 300));
    await writeFakeRecord(world, file, version, { port, node: standInNode(world, fallsOver) });
    const begun = Date.now();
    const { code, stderr } = await world.client([file, ...block], event(), { form });
    const ms = Date.now() - begun;
    for (const one of fillers) one.destroy();
    server.kill("SIGKILL");
    expect({ code, stderr: /ran/.test(stderr), inTime: ms < 10_000 }).toEqual({ code: 2, stderr: true, inTime: true });
  });

  test("a daemon that closes the connection before the payload is complete leaves the app all the time it needs", async () => {
    const file = world.file(`${form}-early.mjs`, guard);
    const { server, port } = await listening((peer) => void peer.destroy());
    const node = standInNode(world, "cat <&4 >/dev/null; sleep 3; echo decided");
    await writeFakeRecord(world, file, version, { port, node });
    expect(await world.client([file, ...block], event(), { form })).toEqual({
      code: 0,
      stdout: "decided\n",
      stderr: "",
    });
    server.close();
  });

  test("a record in a checkout is not read, whatever path leads to it", async () => {
    const checkout = join(world.folder, `${form}-checkout`);
    mkdirSync(join(checkout, ".git"), { recursive: true });
    mkdirSync(join(checkout, "below"));
    symlinkSync(checkout, join(world.folder, `${form}-link`));
    const file = world.file(`${form}-planted.mjs`, guard);
    const { folders, name } = linkNameParts(file);
    const at = join(checkout, "state/daemon/at", ...folders);
    mkdirSync(at, { recursive: true, mode: 0o700 });
    const planted = standInNode(world, "echo planted");
    writeFileSync(join(at, name), `hookline/1 1 1 1 k t s 0 - 1\n${planted}\n\n${file}\n`, { mode: 0o600 });
    const env = { PATH: `${standInNode(world, "echo own").slice(0, -"/node".length)}:${world.env["PATH"]}` };
    const states = ["checkout/state", "checkout/state/", "checkout/below/../state", "link/state"];
    for (const state of states.map((path) => join(world.folder, `${form}-`) + path)) {
      const { stdout } = await world.client([file], event(), {
        form,
        cwd: join(checkout, "below"),
        env: { ...env, HOOKLINE_HOME: state, HOME: "/nowhere" },
      });
      expect([state, stdout]).toEqual([state, "own\n"]);
    }
  });

  test("a payload that never ends is handed to the app after five seconds", async () => {
    const file = world.file(`${form}-open.mjs`, guard);
    const { server, port } = await listening(() => undefined);
    await writeFakeRecord(world, file, version, { port, node: standInNode(world, fallsOver) });
    const inputs = ['{"hook_event_name":', `{"more":"${"x".repeat(5_000)}`];
    const begun = Date.now();
    const all = await Promise.all(inputs.map((input) => world.client([file, ...block], input, { form, open: true })));
    server.close();
    expect(all.map(({ code }) => code)).toEqual([2, 2]);
    expect(Date.now() - begun).toBeLessThan(20_000);
  });

  test("a pipe, a device, a folder or a link in a circle in the place of the record does not block the client", async () => {
    const node = standInNode(world, fallsOver);
    const env = { PATH: `${dirname(node)}:${process.env["PATH"]}` };
    const plants: Record<string, (path: string) => void> = {
      pipe: (path) => execFileSync("mkfifo", [path]),
      "link to a pipe": (path) => {
        execFileSync("mkfifo", [`${path}.pipe`]);
        symlinkSync(`${path}.pipe`, path);
      },
      "link to a device": (path) => symlinkSync("/dev/zero", path),
      folder: (path) => mkdirSync(path),
      circle: (path) => symlinkSync(path, path),
      empty: (path) => writeFileSync(path, ""),
      binary: (path) => writeFileSync(path, Buffer.from([0, 255, 10, 0, 1])),
    };
    for (const [what, plant] of Object.entries(plants)) {
      const file = world.file(`${form}-in-place-${what.replaceAll(" ", "-")}.mjs`, guard);
      await writeFakeRecord(world, file, version, { port: 1, node });
      const { folders, name } = linkNameParts(file);
      const path = join(world.env["HOOKLINE_HOME"] ?? "", "daemon/at", ...folders, name);
      rmSync(path);
      plant(path);
      const { code, stderr } = await world.client([file, ...block], event(), { form, env });
      expect({ what, code, ran: stderr }).toMatchObject({ what, code: 2, ran: expect.stringContaining("ran") });
    }
  });

  test("a record that others may write is not believed", async () => {
    const file = world.file(`${form}-open-record.mjs`, guard);
    const heard: string[] = [];
    const { server, port } = await listening((peer) =>
      peer.once("data", (data) => {
        heard.push(String(data));
        peer.end(wholeAnswer(version));
      }),
    );
    const node = standInNode(world, "cat <&4 >/dev/null; exit 2");
    const env = { PATH: `${dirname(node)}:${process.env["PATH"]}` };
    const codes: unknown[] = [];
    for (const mode of [0o600, 0o644, 0o620, 0o602, 0o666]) {
      await writeFakeRecord(world, file, version, { port, node: "/nonexistent/node" });
      chmodSync(recordPath(file, world.env), mode);
      codes.push((await world.client([file, ...block], event(), { form, env })).code);
    }
    server.close();
    expect([codes, heard.length]).toEqual([[0, 0, 2, 2, 2], 2]);
  });

  test("a relative HOOKLINE_HOME or HOME is refused, and nothing of the current folder is started", async () => {
    const file = world.file(`${form}-relative.mjs`, guard);
    const planted = join(world.project, "near/client/at");
    mkdirSync(planted, { recursive: true });
    const name = scriptName(join(world.folder, "package"));
    const marker = join(world.project, "planted-ran");
    writeFileSync(join(planted, name), `#!/bin/sh\ntouch ${marker}\nexit 0\n`, { mode: 0o755 });
    for (const env of [{ HOOKLINE_HOME: "near" }, { HOOKLINE_HOME: "", HOME: "./near" }]) {
      const call = { form, env: { HOOKLINE_CLIENT: form === "script" ? "" : "script", ...env } };
      const blocked = await world.client([file, ...block], event(), call);
      expect(blocked).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("is not an absolute path"),
      });
      const result = await world.client([file], event(), call);
      expect([result.code, JSON.parse(result.stdout)]).toEqual([
        1,
        { systemMessage: expect.stringMatching(/Set (?:HOOKLINE_)?HOME to an absolute path/) },
      ]);
    }
    expect(existsSync(marker)).toBe(false);
  });

  test("unknown arguments are a failure, and the mode decides", async () => {
    const file = world.file(`${form}-words.mjs`, guard);
    for (const words of [
      [file, "--on-failur", "x", ...block],
      [file, file, ...block],
      [...block],
      [file, "--on-failure"],
    ]) {
      const { code, stdout } = await world.client(words, event(), { form, env: { PATH: "/nonexistent" } });
      expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: "" });
    }
    const { code, stdout } = await world.client([file, "--nope"], event(), { form });
    expect([code, JSON.parse(stdout)]).toEqual([1, { systemMessage: "hookline: Unknown option --nope." }]);
  });

  test.runIf(existsSync("/dev/full"))(
    "an answer that cannot be written denies under block, with a message",
    async () => {
      const file = world.file(`${form}-lost.mjs`, guard);
      await world.serve(file);
      const path = await world.clientPath(form);
      const ended = ["/dev/full", "&-"].map((to) => {
        const words = ["-c", `"$0" "$@" >${to}`, path, file, ...block];
        const { status, stderr } = spawnSync("bash", words, { env: world.env, input: event(), encoding: "utf8" });
        return [status, stderr];
      });
      const lost = [2, "hookline: the answer could not be written to standard output; denied\n"];
      expect(ended).toEqual([lost, lost]);
    },
  );

  test("a message is valid JSON in UTF-8 whatever it names", async () => {
    const odd = String.raw`$'-\x01\n\t\x7f"\\\xc3\xa9\xff\xe2\x82\xac\xed\xa0\x80\xf0\x9f\x98\x80\xc0\xaf'`;
    const path = await world.clientPath(form);
    const stdout = execFileSync("bash", ["-c", `"$0" file ${odd} 2>/dev/null || exit 0`, path], { env: world.env });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(stdout);
    expect(JSON.parse(text)).toEqual({
      systemMessage: `hookline: Unknown option -\u0001\n\t\u007f"\\é\ufffd€\ufffd\ufffd\ufffd😀\ufffd\ufffd.`,
    });
  });
});

test.runIf(clientForms.includes("compiled"))(
  "a pipe in the place of the package's script or of its part for a process does not block the compiled client",
  async () => {
    const file = world.file("package-pipe.mjs", guard);
    const path = await world.clientPath("compiled");
    for (const name of ["hookline-client", "in-process.bash"]) {
      const place = join(world.folder, "package/client", name);
      renameSync(place, `${place}.kept`);
      try {
        execFileSync("mkfifo", [place]);
        const { code, stderr } = await world.client([file, ...block], event(), { form: "compiled" });
        expect({ path, code, stderr }).toEqual({ path, code: 2, stderr: expect.stringContaining("no longer exists") });
      } finally {
        rmSync(place);
        renameSync(`${place}.kept`, place);
      }
    }
  },
);

test("run under block refuses wrong arguments and an unreadable payload, and --event names the event of that payload", async () => {
  const file = world.file("run-event.mjs", app(`app.preTool("Bash", { onFailure: "block" }, () => undefined);`));
  for (const words of [[file, "--nope", ...block], [file, "--on-failure", "nope"], [...block]])
    expect(await world.cli(["run", ...words], { input: event() })).toMatchObject({ code: 2, stdout: "" });
  expect(await world.cli(["run", file, "--nope"], { input: event() })).toMatchObject({ code: 1 });
  const broken = await world.cli(["run", file, "--event", "PreToolUse"], { input: "not JSON" });
  expect(broken).toMatchObject({ code: 2, stdout: "" });
  expect(world.log().at(-1)).toMatchObject({ event: "PreToolUse", answer: "refused" });
  const relative = await world.cli(["run", file, ...block], { input: event(), env: { HOOKLINE_HOME: "near" } });
  expect(relative).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("must be an absolute path") });
});
