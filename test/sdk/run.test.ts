import { existsSync, mkdirSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalog, eventNames } from "../../src/protocol/internal.ts";
import * as sdk from "../../src/sdk/index.ts";
import * as internal from "../../src/sdk/internal.ts";
import { cachedBuild } from "../../src/sdk/load/build-cache.ts";
import { type BundledPackage, bundlePackage } from "./bundled.ts";
import { app, denial, event, guard } from "./guard-app.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(() => world.remove());

describe("input", () => {
  test("an answer comes while standard input stays open, and pieces of one byte, a BOM and blanks are read", async () => {
    const file = world.file("open.mjs", guard);
    expect(await world.run([file], event(), { open: true })).toEqual({ code: 0, stdout: denial("no"), stderr: "" });
    const odd = `\uFEFF \n ${JSON.stringify(JSON.parse(event()), null, 2)} \n`;
    expect((await world.run([file], odd, { pieces: 1 })).stdout).toBe(denial("no"));
  });

  test("five MiB go in and come out whole", async () => {
    const file = world.file("big.mjs", app(`app.postTool(({ response }) => sdk.updateOutput(response));`));
    const big = { stdout: "ä".repeat(2.5 * 2 ** 20), stderr: "" };
    const payload = event({ hook_event_name: "PostToolUse", tool_response: big });
    const { stdout, code } = await world.run([file], payload);
    const wire = JSON.parse(stdout) as { hookSpecificOutput: { updatedToolOutput: unknown } };
    expect([code, wire.hookSpecificOutput.updatedToolOutput]).toEqual([0, big]);
  });

  test("a payload that is not an event is refused under block and reported under continue", async () => {
    const file = world.file("soft.mjs", guard);
    const strict = world.file("strict.mjs", app(`app.preTool("Bash", { onFailure: "block" }, () => undefined);`));
    for (const input of ["", "{", "[1]", `{"a":1}`]) {
      const blocked = await world.run([strict], input);
      expect({ ...blocked, stderr: blocked.stderr.includes("cannot be read") }).toEqual({
        code: 2,
        stdout: "",
        stderr: true,
      });
    }
    const result = await world.run([file], "{");
    expect([result.code, JSON.parse(result.stdout)]).toEqual([
      1,
      { systemMessage: expect.stringContaining("not valid JSON") },
    ]);
    expect((await world.run([file, "--on-failure", "block"], "{")).code).toBe(2);
  });

  test("the stricter mode of entry and app decides about a payload that cannot be read; other events' handlers do not count", async () => {
    const entry = ["--on-failure", "continue", "--event", "UserPromptSubmit"];
    const handler = 'preTool("Bash", { onFailure: "block" }, () => undefined)';
    const apps = {
      "app-blocks.mjs": `import { createApp } from "hookline/sdk";\nexport default createApp({ onFailure: "block" }).${handler};\n`,
      "handler-blocks.mjs": app(`app.${handler};`),
    };
    const codes: (number | null)[] = [];
    for (const [name, text] of Object.entries(apps))
      codes.push((await world.run([world.file(name, text), ...entry], "")).code);
    expect(codes).toEqual([2, 1]);
  });

  test.each([
    [["--onfailure", "block"], 2, "has no option --onfailure"],
    [["--on_failure=block"], 2, "has no option --on_failure"],
    [["--on-failure", "blok"], 2, 'must be block or continue, not "blok"'],
    [["--evnt", "Stop"], 1, "has no option --evnt"],
    [["more.mjs"], 1, 'Unexpected argument "'],
  ])("a call of run with %j exits with %i and names the wrong argument", async (words, code, message) => {
    const ended = await world.run([world.file("soft.mjs", guard), ...words], event());
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, "", expect.stringContaining(message)]);
  });

  test("a payload without tool_use_id, and an MCP response that is a list, are dispatched, and the guard decides", async () => {
    expect((await world.run([world.file("thin.mjs", guard)], event())).stdout).toBe(denial("no"));
    const judge = world.file(
      "list.mjs",
      app(
        `app.postTool("mcp__*", { onFailure: "block" }, ({ response }) => sdk.block(response.map(({ text }) => text).join()));`,
      ),
    );
    const tool_response = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    const payload = event({ hook_event_name: "PostToolUse", tool_name: "mcp__srv__do", tool_response });
    expect(await world.run([judge], payload)).toEqual({
      code: 0,
      stdout: '{"decision":"block","reason":"a,b"}\n',
      stderr: "",
    });
  });
});

describe("output", () => {
  test("open timers do not hold the process, and nothing but the answer reaches stdout", async () => {
    const file = world.file(
      "loud.mjs",
      app(`
        import { spawnSync, spawn } from "node:child_process";
        console.log("at import");
        setInterval(() => undefined, 1000);
        app.preTool(async () => {
          console.log("from handler");
          process.stdout.write("written\\n");
          spawnSync("echo", ["sync child"], { stdio: "inherit" });
          await new Promise((done) => spawn("echo", ["child"], { stdio: "inherit" }).on("close", done));
          return sdk.deny("no");
        });`),
    );
    const { code, stdout, stderr } = await world.run([file], event(), { open: true });
    expect([code, stdout]).toEqual([0, denial("no")]);
    expect(stderr.split("\n").sort()).toEqual(["", "at import", "child", "from handler", "sync child", "written"]);
  });
});

describe("failure", () => {
  test("process.exit, an uncaught error and a handler that never ends cannot turn a block into silence", async () => {
    const bodies = {
      exit: `app.preTool({ name: "h", onFailure: "block" }, () => process.exit(0));`,
      uncaught: `app.preTool({ name: "h", onFailure: "block" }, () => new Promise(() => setTimeout(() => { throw new Error("late"); })));`,
      never: `app.preTool({ name: "h", onFailure: "block", timeoutMs: 50 }, () => new Promise(() => undefined));`,
    };
    const ends = await Promise.all(
      Object.entries(bodies).map(async ([name, body]) => world.run([world.file(`${name}.mjs`, app(body))], event())),
    );
    expect(ends.map(({ code, stdout }) => ({ code, denied: stdout.includes('"deny"') }))).toEqual([
      { code: 0, denied: true },
      { code: 2, denied: false },
      { code: 0, denied: true },
    ]);
  });

  test("an unhandled rejection is printed on stderr and logged", async () => {
    const file = world.file("left.mjs", app(`app.preTool(() => void Promise.reject(new Error("left")));`));
    const message = "Unhandled rejection in a hook: left (left.mjs:3:39)";
    expect(await world.run([file], event())).toEqual({ code: 0, stdout: "", stderr: `hookline: ${message}\n` });
    const log = readFileSync(join(world.folder, "state/log/hooks.jsonl"), "utf8");
    expect(log).toContain(`"event":"PreToolUse","transport":"run","failed":"${message}"`);
  });

  test("an exit listener cannot turn a denial into a pass", async () => {
    const listens = `process.on("exit", () => { process.exitCode = 0; process.reallyExit(0); });`;
    const late = `new Promise(() => setTimeout(() => { throw new Error("late"); }))`;
    const file = world.file("listens.mjs", app(`${listens} app.preTool({ onFailure: "block" }, () => ${late});`));
    expect((await world.run([file], event())).code).toBe(2);
  });

  test("an app that fails on Stop blocks once per turn", async () => {
    const file = world.file(
      "stops.mjs",
      app(
        `app.onStop({ onFailure: "block" }, () => new Promise(() => setTimeout(() => { throw new Error("late"); })));`,
      ),
    );
    const stop = (active: boolean) => event({ hook_event_name: "Stop", stop_hook_active: active });
    expect((await world.run([file], stop(false))).code).toBe(2);
    const again = await world.run([file, "--on-failure=block"], stop(true));
    const message = "hookline: Uncaught exception in a hook: late (stops.mjs:3:85)";
    expect(again).toEqual({ code: 0, stdout: `{"systemMessage":"${message}"}\n`, stderr: `${message}\n` });
    const broken = world.file("stops-not.mjs", "const a = ;");
    expect((await world.run([broken, "--on-failure=block"], stop(true))).code).toBe(0);
  });

  test("a failure is reported once per session, on stderr every time, and in the log", async () => {
    const file = world.file("boom.mjs", app(`app.preTool({ name: "h" }, () => { throw new Error("boom"); });`));
    const first = await world.run([file], event({ session_id: "reported" }));
    const second = await world.run([file], event({ session_id: "reported" }));
    expect(JSON.parse(first.stdout)).toEqual({ systemMessage: "Hook h failed on PreToolUse: boom (boom.mjs:3:42)" });
    expect([second.stdout, second.stderr]).toEqual([
      "",
      "hookline: Hook h failed on PreToolUse: boom (boom.mjs:3:42)\n    at boom.mjs:3:42\n",
    ]);
    const log = readFileSync(join(world.folder, "state/log/hooks.jsonl"), "utf8").trimEnd().split("\n");
    expect(JSON.parse(log.at(-1) ?? "")).toMatchObject({
      session: "reported",
      event: "PreToolUse",
      tool: "Bash",
      transport: "run",
      answer: "none",
      handlers: [{ name: "h", outcome: "failed", error: "boom (boom.mjs:3:42)", stack: "at boom.mjs:3:42" }],
    });
    expect(statSync(join(world.folder, "state/log/hooks.jsonl")).mode & 0o777).toBe(0o600);
  });
});

describe("loading", () => {
  test("HOOKLINE=0 means no opinion, and the log notes it", async () => {
    const ran = await world.run([world.file("off.mjs", guard)], event(), { env: { HOOKLINE: "0" } });
    expect(ran).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(world.folder, "state/log/hooks.jsonl"), "utf8")).toContain(`"off":true`);
  });
});

/** Notes every module that a process loads from a file. */
function moduleSpy(): { readonly spy: string; urls(): readonly string[] } {
  const loaded = join(world.folder, `loaded-${Math.random()}.txt`);
  writeFileSync(loaded, "");
  const hooks = `import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  if (url.startsWith("file:")) appendFileSync(${JSON.stringify(loaded)}, url + "\\n");
  return next(url, context);
}`;
  const register = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hooks)}");`;
  const spy = world.file("spy.mjs", register);
  return {
    spy,
    urls: () =>
      readFileSync(loaded, "utf8")
        .split("\n")
        .filter((url) => url !== ""),
  };
}

test("the cold path of a file as it is loads at most twelve modules of the package and no npm package", async () => {
  const { spy, urls } = moduleSpy();
  const file = world.file("cold.mjs", `${guard}await undefined;`);
  // The first start builds, because the project has no install; the second is what a hook costs.
  await world.run([file], event());
  expect((await world.run([file], event(), { node: ["--import", spy] })).stdout).toBe(denial("no"));
  const own = urls().filter((url) => url.includes("/package/dist/"));
  expect(own.length).toBeGreaterThan(0);
  expect(own.length).toBeLessThanOrEqual(12);
  expect(urls().filter((url) => url.includes("node_modules") || url.includes("/sessions/"))).toEqual([]);
});

test("the program of a hook process is one file and contains neither the event rows nor fs.promises", () => {
  const text = readFileSync(join(world.folder, "package/dist/cli/program.cjs"), "utf8");
  // Everything else is loaded on demand, through a function: a script cannot import.
  expect(text).not.toMatch(/\brequire\("\.|\bimport\b[^.(]*"\./);
  expect(eventNames.filter((event) => text.includes(catalog[event].fires))).toEqual([]);
  // `fs.promises` loads readline and watchers, a thirtieth of a start.
  expect(text).not.toMatch(/\bpromises\b[^;]*getBuiltinModule\("node:fs"\)|"node:fs\/promises"/);
});

test("the built package has the same rules for every event as the source", async () => {
  const dist = join(world.folder, "package/dist");
  const built = {
    ...((await import(join(dist, "sdk/index.js"))) as typeof sdk),
    ...((await import(join(dist, "sdk/internal.cjs"))) as typeof internal),
  };
  const facts = ({ createApp, needsCommand, defaultDeadline }: typeof built) => {
    const app = createApp() as unknown as Record<string, unknown>;
    return eventNames.map((event) => ({
      event,
      method: typeof app[catalog[event].app.method],
      command: needsCommand(event),
      deadlineMs: defaultDeadline(event),
    }));
  };
  expect(facts(built)).toEqual(facts({ ...sdk, ...internal }));
});

describe("a file that imports only Node modules and entry points of the package starts as a script", () => {
  test("after the first start of a .mjs file no module is loaded any more, and the answer is the same", async () => {
    mkdirSync(join(world.project, "linked/node_modules"), { recursive: true });
    symlinkSync(join(world.folder, "package"), join(world.project, "linked/node_modules/hookline"));
    const { spy, urls } = moduleSpy();
    const file = world.file("linked/ahead.mjs", guard);
    expect((await world.run([file], event())).stdout).toBe(denial("no"));
    await expect.poll(() => world.isScript(file)).toBe(true);
    expect((await world.run([file], event(), { node: ["--import", spy] })).stdout).toBe(denial("no"));
    expect(urls().filter((url) => !/\/(?:spy\.mjs|bin\.cjs)$/.test(url))).toEqual([]);
    world.file("linked/ahead.mjs", guard.replaceAll('"no"', '"changed"'));
    expect((await world.run([file], event())).stdout).toBe(denial("changed"));
  });

  test("a file that imports hookline/permissions and hookline/sessions loads no module, and follows a changed package", async () => {
    const { spy, urls } = moduleSpy();
    const file = world.file(
      "own.mjs",
      `import { createApp, deny } from "hookline/sdk";
import { compileRules, judge } from "hookline/permissions";
import { listSessions } from "hookline/sessions";
const policy = compileRules([{ scope: "user", deny: ["Bash"] }]);
export default createApp().preTool("Bash", async ({ input }) => {
  const { decision } = judge({ tool: "Bash", input }, policy, { cwd: "/p", projectRoot: "/p", home: "/h" });
  return deny(decision + " " + typeof listSessions);
});`,
    );
    const first = await world.run([file], event());
    expect(first.stdout).toBe(denial("deny function"));
    await expect.poll(() => world.isScript(file)).toBe(true);
    expect((await world.run([file], event(), { node: ["--import", spy] })).stdout).toBe(first.stdout);
    expect(urls().filter((url) => !/\/(?:spy\.mjs|bin\.cjs)$/.test(url))).toEqual([]);
    const entryPoint = join(world.folder, "package/dist/permissions/index.cjs");
    const text = readFileSync(entryPoint, "utf8");
    try {
      writeFileSync(entryPoint, `throw new Error("a changed package");\n${text}`);
      expect((await world.run([file], event())).stderr).toContain("a changed package");
    } finally {
      writeFileSync(entryPoint, text);
    }
  });

  test("a misused function of an entry point is reported with the author's line at every start", async () => {
    const file = world.file(
      "misuse.mjs",
      `import { createApp } from "hookline/sdk";
import { analyseShell } from "hookline/permissions";
export default createApp().preTool("Bash", { onFailure: "block" }, ({ input }) => {
  analyseShell(input.command);
});`,
    );
    const first = await world.run([file], event());
    expect(first.stderr).toContain("(misuse.mjs:4:3)");
    await expect.poll(() => world.isScript(file)).toBe(true);
    expect((await world.run([file], event())).stderr).toBe(first.stderr);
  });

  test("strictness, import.meta and errors are those of the author's module", async () => {
    const file = world.file(
      "place.ts",
      app(`import fs from "fs";
       const place: string = import.meta.url;
       app.preTool("Bash", { onFailure: "block" }, function (this: unknown) {
         if (this !== undefined) return sdk.deny("sloppy");
         if (!place.endsWith("/place.ts") || !fs.existsSync(new URL(place))) return sdk.deny(place);
         throw new Error(new Error("told").stack);
       });`),
    );
    await world.run([file], event());
    expect(world.isScript(file)).toBe(true);
    const { stdout, stderr } = await world.run([file], event());
    expect(stdout + stderr).toMatch(/told.*place\.ts:8:/s);
  });
});

test("a damaged build that is a module is made again", async () => {
  // Top-level await keeps it a module.
  const file = world.file("damaged.ts", app(`await undefined;\napp.preTool("Bash", () => sdk.deny("no"));`));
  const denied = { code: 0, stdout: denial("no"), stderr: "" };
  expect(await world.run([file], event())).toEqual(denied);
  const module = cachedBuild(file, { HOOKLINE_HOME: join(world.folder, "state") })?.module ?? "";
  const text = readFileSync(module, "utf8");
  for (const damaged of ["", text.slice(0, text.length / 2), text.slice(0, text.indexOf("export {")), "\0".repeat(9)]) {
    writeFileSync(module, damaged);
    expect(await world.run([file], event())).toEqual(denied);
    expect(readFileSync(module, "utf8")).toBe(text);
  }
});

test("an error after the answer does not change the answer", async () => {
  const closes = `() => new Promise((end) => { setTimeout(() => { throw null; }, 1); setTimeout(end, 200); })`;
  const file = world.file(
    "closes.mjs",
    app(
      `app.provide("db", () => 1, { dispose: ${closes} });\napp.preTool("Bash", (_, { db }) => db && sdk.deny("no"));`,
    ),
  );
  const { code, stdout, stderr } = await world.run([file], event());
  expect({ code, stdout }).toEqual({ code: 0, stdout: denial("no") });
  expect(stderr).toContain("Uncaught exception in a hook: null");
});

test.skipIf(!existsSync("/dev/full"))(
  "an answer that cannot be written denies under block, with a message",
  async () => {
    const { spawnSync } = await import("node:child_process");
    const file = world.file("lost.mjs", guard);
    const env = { PATH: process.env["PATH"], HOME: world.folder, HOOKLINE_HOME: join(world.folder, "state") };
    const ended = (to: string, ...words: string[]) => {
      const program = join(world.folder, "package/dist/cli/bin.cjs");
      const call = ["-c", `"$0" "$@" ${to}`, process.execPath, program, "run", file, ...words];
      const { status, stderr } = spawnSync("bash", call, { input: event(), env, encoding: "utf8" });
      return [status, stderr];
    };
    const block = ["--on-failure", "block"];
    const lost = "hookline: the answer could not be written to standard output";
    expect(ended(">/dev/full", ...block)).toEqual([2, `${lost}; denied\n`]);
    expect(ended(">/dev/full")).toEqual([0, `${lost}\n`]);
  },
);

test.skipIf(!existsSync("/dev/full"))(
  "a guard exits with 2 when stdin is a directory or output cannot be written",
  async () => {
    const { spawnSync } = await import("node:child_process");
    const file = world.file("ends.mjs", app(`app.preTool("Bash", { onFailure: "block" }, () => undefined);`));
    const full = openSync("/dev/full", "w");
    const folder = openSync(world.folder, "r");
    const ended = [
      ["pipe", "pipe", "pipe"] as const,
      ["pipe", full, full] as const,
      [folder, "pipe", "pipe"] as const,
    ].map((stdio) => {
      const words = [join(world.folder, "package/dist/cli/bin.cjs"), "run", file];
      const env = { PATH: process.env["PATH"], HOME: world.folder, HOOKLINE_HOME: join(world.folder, "state") };
      return spawnSync(process.execPath, words, { stdio: [...stdio], input: "{", env }).status;
    });
    expect(ended).toEqual([2, 2, 2]);
  },
);
