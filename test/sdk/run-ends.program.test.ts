import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BundledPackage, bundlePackage } from "./bundled.ts";
import { denial, event } from "./guard-app.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(() => world.remove());

/** Runs a guard with this body under `block`. */
async function run(name: string, body: string, options: readonly string[] = []) {
  const text = `import fs from "node:fs";
import { Worker } from "node:worker_threads";
import { createApp, deny } from "hookline/sdk";
const app = createApp({ onFailure: "block", timeoutMs: 300 });
${body}
export default app;
`;
  const file = world.file(name, text);
  return { file, ran: await world.run([file, "--on-failure", "block", ...options], event()) };
}

function namedPipe(path: string): string {
  execFileSync("mkfifo", ["-m", "600", path]);
  return path;
}

describe("a process that has nothing left to do and no answer is denied", () => {
  test.each([
    ["immediates", `app.preTool("Bash", () => { globalThis.setImmediate = () => 0; });`],
    ["timers", `app.preTool("Bash", () => { globalThis.setTimeout = () => 0; return new Promise(() => {}); });`],
  ])("%s never come", async (name, body) => {
    const { file, ran } = await run(`${name}.mjs`, body);
    const stderr = `hookline: ${file} ended without an answer: a promise never settles.\n`;
    expect(ran).toEqual({ code: 2, stdout: "", stderr });
  });

  test("a task backend never settles; after the answer that has no effect", async () => {
    const methods = "add get list take cancel wake claim beat finish close".split(" ");
    const call = async (name: string, settling: readonly string[]) => {
      const never = methods.map(
        (one) => `${one}: () => ${settling.includes(one) ? "Promise.resolve([])" : "new Promise(() => {})"}`,
      );
      const text = `import { createApp, deny } from "hookline/sdk";
const app = createApp({ onFailure: "block", timeoutMs: 300, tasks: { ${never.join()} } });
const task = app.task("t", async () => {});
app.preTool("Bash", (_, { tasks }) => { void tasks.add(task); return deny("d"); });
export default app;\n`;
      const { code, stdout } = await world.run([world.file(name, text), "--on-failure", "block"], event());
      return [code, stdout];
    };
    expect(await call("before.mjs", [])).toEqual([2, ""]);
    expect(await call("after.mjs", ["list", "take"])).toEqual([0, denial("d")]);
  });

  test("under continue it is reported", async () => {
    const text = `import { createApp } from "hookline/sdk";
export default createApp().preTool("Bash", () => { globalThis.setImmediate = () => 0; });\n`;
    const { code, stdout } = await world.run([world.file("soft.mjs", text)], event());
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { systemMessage: expect.stringContaining("ended without an answer") },
    ]);
  });
});

describe("a process ends after its denial", () => {
  const provider = (dispose: string) =>
    `app.provide("x", () => ({}), { dispose() { ${dispose} } }); app.preTool("Bash", (_, { x }) => deny("d"));`;
  test.each([
    ["a provider that blocks", () => provider("for (;;);")],
    [
      "a provider that reads a named pipe",
      () => provider(`fs.readFileSync(${JSON.stringify(namedPipe(join(world.folder, "pipe")))});`),
    ],
    ["an exit listener", () => `process.on("exit", () => { for (;;); }); app.preTool("Bash", () => deny("d"));`],
  ])("although %s does not end", async (name, body) => {
    const { ran } = await run(`${name}.mjs`, body());
    expect(ran).toEqual({ code: 0, stdout: denial("d"), stderr: "" });
  });

  test("although an exit listener blocks, after a handler has blocked", async () => {
    const loop = "() => { for (;;); }";
    const { ran } = await run("both.mjs", `process.on("exit", ${loop}); app.preTool({ name: "h" }, ${loop});`);
    const stderr = "hookline: Hook h failed on PreToolUse: it blocked the event loop for longer than 300 ms\n";
    expect(ran).toEqual({ code: 2, stdout: "", stderr });
  });

  test.skipIf(process.platform !== "linux")("although a thread waits for the writer of a named pipe", async () => {
    const code = `require("fs").readFileSync(${JSON.stringify(namedPipe(join(world.folder, "thread")))})`;
    const { ran } = await run(
      "thread.mjs",
      `app.preTool("Bash", async () => { await new Worker(${JSON.stringify(code)}, { eval: true }); return deny("d"); });`,
    );
    expect(ran).toEqual({ code: 2, stdout: denial("d"), stderr: "d\n" });
  });
});

test("what a handler writes to descriptor 1 goes to stderr", async () => {
  const writes = `fs.writeSync(1, "junk"); fs.writeFileSync(1, "more"); fs.writeSync(1, Buffer.from("!"));`;
  const { ran } = await run("writes.mjs", `app.preTool("Bash", () => { ${writes} return deny("d"); });`);
  expect(ran).toEqual({ code: 0, stdout: denial("d"), stderr: "junkmore!" });
});

test("a denial is also the exit code when a thread of the handler may have written to descriptor 1", async () => {
  const { ran } = await run(
    "thread-writes.mjs",
    `app.preTool("Bash", async () => {
      const thread = new Worker('require("fs").writeSync(1, "junk")', { eval: true });
      await new Promise((done) => thread.on("exit", done));
      return deny("d");
    });`,
  );
  expect(ran).toEqual({ code: 2, stdout: `junk${denial("d")}`, stderr: "d\n" });
});

test("process.execve throws in a handler", async () => {
  const { ran } = await run(
    "execve.mjs",
    `app.preTool({ name: "h" }, () => process.execve("/bin/true", ["true"], {}));`,
  );
  expect([ran.code, ran.stdout]).toEqual([
    0,
    expect.stringMatching(/"permissionDecision":"deny",.*"h failed: process/),
  ]);
});

test("a handler that deletes the current directory and throws later is denied", async () => {
  const lost = join(world.folder, "lost");
  mkdirSync(lost);
  const { ran } = await run(
    "lost.mjs",
    `app.preTool("Bash", () => {
      process.chdir(${JSON.stringify(lost)});
      fs.rmdirSync(${JSON.stringify(lost)});
      setTimeout(() => { throw new Error("later"); });
      return new Promise(() => {});
    });`,
  );
  expect(ran).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("Uncaught exception in a hook: later") });
});

test("a call from a deleted directory is denied, and the message names it", () => {
  const file = world.file("any.mjs", `import { createApp } from "hookline/sdk";\nexport default createApp();\n`);
  const gone = join(world.folder, "gone");
  mkdirSync(gone);
  const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" run "$4" --on-failure block';
  const words = [gone, process.execPath, join(world.folder, "package/dist/cli/bin.cjs"), file];
  const env = { PATH: process.env["PATH"], HOME: world.folder, HOOKLINE_HOME: join(world.folder, "state") };
  const { status, stderr } = spawnSync("sh", ["-c", script, "sh", ...words], { env, input: event(), encoding: "utf8" });
  expect([status, stderr]).toEqual([
    2,
    "hookline: The current directory no longer exists. Change to another directory and try again.\n",
  ]);
});

test("a named pipe in the place of the log is reported", async () => {
  const home = join(world.folder, "piped");
  mkdirSync(join(home, "log"), { recursive: true, mode: 0o700 });
  const log = namedPipe(join(home, "log/hooks.jsonl"));
  const text = `import { createApp, deny } from "hookline/sdk";\nexport default createApp().preTool(() => deny("d"));\n`;
  const { stdout, stderr } = await world.run([world.file("piped.mjs", text)], event(), {
    env: { HOOKLINE_HOME: home },
  });
  expect([stdout, stderr]).toEqual([
    denial("d"),
    `hookline: The hook log ${log} cannot be written: it is not a regular file\n`,
  ]);
});

test("--spent counts toward the deadline: without any time left a handler that waits is denied", async () => {
  const waits = `app.preTool({ name: "h" }, () => new Promise((done) => setTimeout(done, 100)));`;
  const { ran } = await run("spent.mjs", waits, ["--because", "rerun", "--spent", "18"]);
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('"h failed: timed out after 0 ms"')]);
});

test("a pipe or a device in the place of an imported file, a manifest or a build record is denied at once", async () => {
  const dependency = join(world.project, "node_modules/dep");
  mkdirSync(dependency, { recursive: true });
  world.file("node_modules/dep/index.js", "module.exports = 1;");
  const manifest = world.file("node_modules/dep/package.json", `{ "name": "dep" }`);
  const imported = world.file("imported.ts", "export const a: number = 1;");
  const file = world.file(
    "imports.ts",
    `import { createApp } from "hookline/sdk";\nimport dep from "dep";\nimport { a } from "./imported.ts";
export default createApp({ onFailure: "block" }).preTool("Bash", () => void [a, dep]);\n`,
  );
  const call = () => world.run([file, "--on-failure", "block"], event());
  expect((await call()).code).toBe(0);
  const [record = ""] = execFileSync("grep", ["-rl", `"file":"${file}"`, join(world.folder, "state/builds")])
    .toString()
    .split("\n");
  for (const path of [imported, manifest, record]) {
    renameSync(path, `${path}.kept`);
    const denied = { code: 2, stdout: "", stderr: expect.stringMatching(/not a regular file/) };
    namedPipe(path);
    expect(await call(), path).toEqual(denied);
    rmSync(path);
    symlinkSync("/dev/zero", path);
    if (path !== record) expect(await call(), path).toEqual(denied);
    rmSync(path);
    renameSync(`${path}.kept`, path);
    expect((await call()).code).toBe(0);
  }
});
