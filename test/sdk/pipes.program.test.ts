import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledPackage, bundlePackage } from "./bundled.ts";
import { app, denial, event, guard } from "./guard-app.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(() => world.remove());

test("five seconds of silence on an open pipe are a failure of the app, reported by its mode and in the log", async () => {
  const file = world.file("silence.mjs", guard);
  const half = event().slice(0, 20);
  const env = { HOOKLINE_HOME: join(world.folder, "silence") };
  const [blocked, told] = await Promise.all([
    world.run([file, "--on-failure", "block"], "", { open: true, env }),
    world.run([file], half, { open: true, env }),
  ]);
  const message = `hookline: The event for ${file} cannot be read: no complete payload was received within 5 s.`;
  expect(blocked).toEqual({ code: 2, stdout: "", stderr: `${message}\n` });
  expect({ ...told, stdout: JSON.parse(told.stdout) }).toEqual({
    code: 1,
    stdout: { systemMessage: message },
    stderr: `${message}\n`,
  });
  const log = readFileSync(join(world.folder, "silence/log/hooks.jsonl"), "utf8");
  const answers = log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { answer: string; failed: string });
  expect(answers.map(({ answer, failed }) => [answer, `hookline: ${failed}`]).sort()).toEqual([
    ["none", message],
    ["refused", message],
  ]);
});

test("bytes after the JSON object are ignored, in one chunk or several", async () => {
  const file = world.file("follows.mjs", guard);
  const twice = `${event()}\n${event()} and more`;
  const ran = await Promise.all([world.run([file], twice), world.run([file], twice, { open: true, pieces: 7 })]);
  expect(ran.map(({ stdout, stderr }) => stdout + stderr)).toEqual([denial("no"), denial("no")]);
});

test("five MiB arrive complete at a slow reader, and an open socket does not keep the process running", async () => {
  const size = 5 * 2 ** 20;
  const body = `import { createServer, connect } from "node:net";
    const server = createServer(() => undefined).listen(0, "127.0.0.1", () => connect(server.address().port, "127.0.0.1"));
    app.preTool("Bash", () => sdk.deny("x".repeat(${size})));`;
  const words = [join(world.folder, "package/dist/cli/bin.cjs"), "run", world.file("slow-reader.mjs", app(body))];
  const env = { PATH: process.env["PATH"], HOME: world.folder, HOOKLINE_HOME: join(world.folder, "state") };
  const child = spawn(process.execPath, words, { cwd: world.project, env, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("exit", done));
  child.stdin.write(event());
  await new Promise((done) => setTimeout(done, 500));
  let length = 0;
  for await (const chunk of child.stdout) {
    length += (chunk as Buffer).length;
    await new Promise((done) => setTimeout(done, 2));
  }
  expect([length, await ended]).toEqual([denial("").length + size, 0]);
});
