import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../until.ts";
import { type BundledPackage, bundlePackage } from "./bundled.ts";
import { app, denial, event, guard } from "./guard-app.ts";

let world: BundledPackage;
beforeAll(async () => {
  world = await bundlePackage();
});
afterAll(() => world.remove());

/** A named pipe in the project, without a writer. */
function namedPipe(name: string): string {
  const path = join(world.project, name);
  execFileSync("mkfifo", [path]);
  return path;
}

describe("input", () => {
  test("a payload of more than 25 MiB is denied under block, with the reason", async () => {
    const file = world.file("capped.mjs", app(`app.preTool("Bash", { onFailure: "block" }, () => undefined);`));
    const { code, stdout, stderr } = await world.run(
      [file],
      event({ tool_input: { command: "x".repeat(26 * 2 ** 20) } }),
    );
    expect([code, stdout, stderr.includes("the payload is larger than 25 MiB")]).toEqual([2, "", true]);
  });
});

describe("failure", () => {
  test("a handler that takes longer than a file may take to load answers, and nothing else is printed", async () => {
    const slow = "async () => { await new Promise((done) => setTimeout(done, 11_500)); }";
    const file = world.file("long.mjs", app(`app.preTool({ onFailure: "block" }, ${slow});`));
    expect(await world.run([file, "--on-failure", "block"], event())).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("a handler that kills its process, blocks the event loop or waits for a child process is denied under block", async () => {
    const guarded = (body: string) => app(`app.preTool({ name: "h", onFailure: "block", timeoutMs: 300 }, ${body});`);
    const ways = {
      reallyExit: "() => process.reallyExit(0)",
      kill: `() => process.kill(process.pid, "SIGKILL")`,
      abort: "() => process.abort()",
    };
    for (const [way, body] of Object.entries(ways)) {
      const { code, stdout } = await world.run([world.file(`${way}.mjs`, guarded(body))], event());
      const wanted = new RegExp(`"permissionDecision":"deny",.*"h failed: process\\.${way}\\(.*was called`);
      expect([code, stdout]).toEqual([0, expect.stringMatching(wanted)]);
    }
    const holds = {
      pattern: `() => void /^(a+)+$/.test("a".repeat(40) + "b")`,
      later: "async () => { await new Promise(setImmediate); for (;;); }",
      child: `() => process.getBuiltinModule("node:child_process").execSync("trap '' TERM; while :; do sleep 1; done")`,
      // A signal that ends no process, so that the child cannot be ended before it ignores it.
      deafChild: `() => process.getBuiltinModule("node:child_process").execFileSync("tail", ["-f", "/dev/null"], { timeout: 100, killSignal: "SIGWINCH" })`,
    };
    for (const [way, body] of Object.entries(holds)) {
      const ran = await world.run([world.file(`${way}.mjs`, guarded(body))], event());
      const stderr = "hookline: Hook h failed on PreToolUse: it blocked the event loop for longer than 300 ms\n";
      expect(ran).toEqual({ code: 2, stdout: "", stderr });
    }
    const log = readFileSync(join(world.folder, "state/log/hooks.jsonl"), "utf8");
    expect(log).toContain('"failed":"Hook h failed on PreToolUse: it blocked the event loop');
  });

  test("a handler that waits for the writer of a named pipe is denied under block, and logged", async () => {
    const read = `process.getBuiltinModule("node:fs").readFileSync(${JSON.stringify(namedPipe("pipe"))})`;
    const body = app(`app.preTool({ name: "h", onFailure: "block", timeoutMs: 300 }, () => void ${read});`);
    const message = "Hook h failed on PreToolUse: it blocked the event loop for longer than 300 ms";
    const ran = await world.run([world.file("waits-for-pipe.mjs", body)], event());
    expect(ran).toEqual({ code: 2, stdout: "", stderr: `hookline: ${message}\n` });
    const [last = ""] = readFileSync(join(world.folder, "state/log/hooks.jsonl"), "utf8").trim().split("\n").slice(-1);
    expect(JSON.parse(last)).toMatchObject({ event: "PreToolUse", answer: "refused", failed: message });
  });

  describe.skipIf(process.platform !== "linux")("a process ends although handlers left threads that wait", () => {
    const leaves = (name: string, body: string) =>
      world.file(
        `${name}.mjs`,
        `import fs from "node:fs";\n${app(`app.preTool({ name: "h", onFailure: "block", timeoutMs: 300 }, async () => { ${body} });`)}`,
      );
    const timedOut = [0, expect.stringMatching(/"deny",.*"h failed: timed out after/)];

    test("for the writer of a named pipe", async () => {
      const read = `fs.promises.readFile(${JSON.stringify(namedPipe("later"))})`;
      const { code, stdout } = await world.run([leaves("later-pipe", `await ${read};`)], event());
      expect([code, stdout]).toEqual(timedOut);
    });

    test("for the writers of more pipes than the pool has threads", async () => {
      const read = `fs.promises.readFile(${JSON.stringify(namedPipe("many"))})`;
      const { code } = await world.run(
        [leaves("many-pipes", `await Promise.all(Array(9).fill().map(() => ${read}));`)],
        event(),
      );
      expect(code).toBe(2);
    });

    test("while the handler's own thread waits for another pipe", async () => {
      const [one, two] = [namedPipe("pooled"), namedPipe("own")].map((path) => JSON.stringify(path));
      const body = `void fs.promises.readFile(${one}); await new Promise((done) => setTimeout(done, 50)); fs.readFileSync(${two});`;
      const stderr = "hookline: Hook h failed on PreToolUse: it blocked the event loop for longer than 300 ms\n";
      expect(await world.run([leaves("two-pipes", body)], event())).toEqual({ code: 2, stdout: "", stderr });
    });

    test("for data in a named pipe, by another program in its place where Node has execve", async () => {
      const pipe = JSON.stringify(namedPipe("silent"));
      const file = leaves(
        "silent-pipe",
        `fs.read(fs.openSync(${pipe}, "r+"), () => {}); await new Promise(() => setTimeout(() => {}, 9e6));`,
      );
      const standIn = world.file(
        "execve.mjs",
        `import { spawnSync } from "node:child_process";
        import { writeSync } from "node:fs";
        const { kill, pid } = process;
        process.execve ??= (program, [, ...args]) => {
          writeSync(1, "exit " + spawnSync(program, args).status);
          kill.call(process, pid, "SIGKILL");
        };`,
      );
      const node = ["--import", pathToFileURL(standIn).href];
      const { code, stdout, stderr } = await world.run([file], event(), { node });
      // The stand-in is a handler too: what it writes to standard output goes to stderr.
      const replaced = "execve" in process ? [...timedOut, false] : [null, timedOut[1], true];
      expect([code, stdout, stderr.endsWith("exit 0")]).toEqual(replaced);
    });
  });

  test("a child process that a handler waits for is ended at the deadline, a detached one is not", async () => {
    const [go, went] = ["go", "went"].map((name) => join(world.folder, name)) as [string, string];
    const waits = `const fs = require("node:fs"); setInterval(() => { if (!fs.existsSync("${go}")) return; fs.writeFileSync("${went}", ""); process.exit(); }, 20)`;
    const file = world.file(
      "detached.mjs",
      app(`app.preTool({ name: "h", onFailure: "block", timeoutMs: 300 }, () => {
        const { spawn, execFileSync } = process.getBuiltinModule("node:child_process");
        spawn(process.execPath, ["-e", ${JSON.stringify(waits)}], { detached: true, stdio: "ignore" }).unref();
        execFileSync("tail", ["-f", "/dev/null"], { timeout: 100, killSignal: "SIGWINCH" });
      });`),
    );
    expect((await world.run([file], event())).code).toBe(2);
    writeFileSync(go, "");
    await until("the detached process answers", () => existsSync(went));
  });
});

describe("loading", () => {
  test("a file whose top level blocks the thread, or waits for a child process, is denied or reported, as a module and as a script", async () => {
    const module = world.file("blocks.mjs", app("for (;;);"));
    const blocks = { "blocks.ts": "for (;;);", "waits.ts": `execSync("while :; do sleep 1; done");` };
    const scripts = Object.entries(blocks).map(([name, code]) =>
      world.file(
        name,
        `import { execSync } from "node:child_process";\n${app(`if (process.env.BLOCKS) ${code}\napp.preTool(() => undefined);`)}`,
      ),
    );
    for (const script of scripts) {
      expect((await world.run([script], event())).code).toBe(0);
      expect(world.isScript(script)).toBe(true);
    }
    const env = { BLOCKS: "1" };
    const ran = await Promise.all(
      [module, ...scripts].flatMap((file) => [
        world.run([file, "--on-failure", "block"], event(), { env }),
        world.run([file], event(), { env }),
      ]),
    );
    const message = (file: string) =>
      `hookline: ${file} does not load: it took longer than 10 s. Move slow work into a handler.`;
    const ends = (file: string) => [
      { code: 2, stdout: "", stderr: `${message(file)}\n` },
      { code: 1, stdout: `${JSON.stringify({ systemMessage: message(file) })}\n`, stderr: `${message(file)}\n` },
    ];
    expect(ran).toEqual([module, ...scripts].flatMap(ends));
  });

  test("a file that is, imports or reads a named pipe is denied or reported", async () => {
    const reads = `if (process.env.BLOCKS) readFileSync(${JSON.stringify(namedPipe("top"))});`;
    const script = world.file("reads.ts", `import { readFileSync } from "node:fs";\n${app(reads)}`);
    expect((await world.run([script], event())).code).toBe(0);
    const imports = world.file("imports.ts", `import ${JSON.stringify(namedPipe("imported.ts"))};\n${app("")}`);
    const run = (file: string, ...options: string[]) =>
      world.run([file, ...options], event(), { env: { BLOCKS: "1" } }).then(({ code, stderr }) => [code, stderr]);
    const late = "does not load: it took longer than 10 s. Move slow work into a handler.\n";
    const irregular = expect.stringMatching(/imported\.ts is not a regular file\n$/);
    const own = namedPipe("own.mjs");
    const whole = `hookline: ${own} does not load: it is not a regular file.\n`;
    expect(
      await Promise.all([
        run(script, "--on-failure", "block"),
        run(imports, "--on-failure", "block"),
        run(imports),
        run(own, "--on-failure", "block"),
        run(own),
      ]),
    ).toEqual([
      [2, `hookline: ${script} ${late}`],
      [2, irregular],
      [1, irregular],
      [2, whole],
      [1, whole],
    ]);
  });

  test.skipIf(process.platform !== "linux")("an import of a named pipe without a build ends at the limit", async () => {
    const file = world.file(
      "unbuilt.mjs",
      `import ${JSON.stringify(namedPipe("unbuilt-pipe.mjs"))};\nexport default 1;`,
    );
    const { code, stderr } = await world.run([file, "--on-failure", "block"], event());
    expect([code, stderr]).toEqual([2, expect.stringContaining("it took longer than 10 s")]);
  });

  test("a file that does not load is denied or reported, with file, line and the first line of the error", async () => {
    const faults: [string, string, RegExp][] = [
      ["syntax.mjs", "const a = ;", /syntax\.mjs:1: Unexpected/],
      ["syntax.ts", "\nconst a: = 1;", /syntax\.ts:2: /],
      ["exits.mjs", "\nprocess.exit(0);", /exits\.mjs:2: Error: process\.exit\(0\) was called/],
      ["missing.mjs", `import "./nowhere.mjs";`, /nowhere\.mjs/],
      ["throws.ts", `\n\nthrow new Error("at start");`, /throws\.ts:3: Error: at start/],
      [
        "typo.ts",
        app(`\n\napp.onStop({ onFailure: "Block" }, () => undefined);`),
        /typo\.ts:5: The option "onFailure"/,
      ],
      [
        "typo.mjs",
        app(`\n\napp.onStop({ onFailure: "Block" }, () => undefined);`),
        /typo\.mjs:5: The option "onFailure"/,
      ],
      ["empty.mjs", "export const a = 1;", /exports no app: it has no default export/],
      ["other.mjs", "export default {};", /exports no app: its default export is not an app/],
    ];
    await Promise.all(
      faults.map(async ([name, text, wanted]) => {
        const file = world.file(name, text);
        const blocked = await world.run([file, "--on-failure=block"], event());
        expect({ ...blocked, stderr: "" }).toEqual({ code: 2, stdout: "", stderr: "" });
        expect(blocked.stderr).toMatch(wanted);
      }),
    );
    const result = await world.run([join(world.project, "gone.mjs")], event());
    expect([result.code, result.stdout.includes("systemMessage")]).toEqual([1, true]);
  });

  test("TypeScript is built once per content, again when an import changes, and outside the project", async () => {
    const words = world.file(
      "words.ts",
      `export const word: string = "one";\nexport const place: string = import.meta.dirname;\n`,
    );
    const file = world.file(
      "typed.ts",
      `import { createApp, deny } from "hookline/sdk";
import { word, place } from "./words.ts";
enum Level { High = 1 }
const app = createApp();
app.preTool("Bash", ({ input }) => deny(\`\${word} \${input.command} \${Level.High} \${place === import.meta.dirname}\`));
app.onStop(() => { throw new Error(new Error("here").stack); });
export default app;
`,
    );
    expect((await world.run([file], event())).stdout).toBe(denial("one ls 1 true"));
    const builds = () => readdirSync(join(world.folder, "state/builds")).filter((name) => name.endsWith(".mjs"));
    const before = builds();
    expect((await world.run([file], event())).stdout).toBe(denial("one ls 1 true"));
    expect(builds()).toEqual(before);
    const { atime, mtime } = statSync(words);
    writeFileSync(words, `export const word: string = "two";\nexport const place: string = import.meta.dirname;\n`);
    const { utimesSync } = await import("node:fs");
    utimesSync(words, atime, mtime);
    expect((await world.run([file], event())).stdout).toBe(denial("two ls 1 true"));
    const failed = await world.run([file], event({ hook_event_name: "Stop", session_id: "stack" }));
    expect(failed.stderr).toContain(`${pathToFileURL(file)}:6:`);
    expect(existsSync(join(world.project, "hooks.mjs"))).toBe(false);
  });
});

describe("a file that asks for nothing but Node and hookline/sdk starts as a script", () => {
  test("top-level await, packages and computed imports keep a file a module", async () => {
    mkdirSync(join(world.project, "with/node_modules/other"), { recursive: true });
    world.file("with/node_modules/other/index.js", "exports.parse = (text) => text;");
    for (const [name, line] of [
      ["awaits", "await Promise.resolve();"],
      ["names", "export const later = (name: string) => import(name);"],
      ["packages", 'import { parse } from "other"; parse("{}");'],
    ] as const) {
      const file = world.file(`with/${name}.ts`, `${guard}${line}`);
      await world.run([file], event());
      expect(world.isScript(file), name).toBe(false);
      expect((await world.run([file], event())).stdout, name).toBe(denial("no"));
    }
  });
});

test("an uncaught error at load time is denied on every start", async () => {
  const guarded = (line: string) => app(`${line}\napp.preTool("Bash", { onFailure: "block" }, () => undefined);`);
  const rejects = world.file("rejects.ts", guarded(`Promise.reject(new Error("left"));`));
  const throws = world.file("throws.ts", guarded(`process.nextTick(() => { throw new Error("left"); });`));
  const timer = world.file("timer.ts", guarded(`setTimeout(() => { throw new Error("left"); });`));
  for (const file of [rejects, rejects, throws, throws, timer, timer, timer]) {
    const { code, stdout, stderr } = await world.run([file], event());
    expect({ code, stdout, left: /: left \((?:rejects|throws|timer)\.ts:3:\d+\)$/m.test(stderr) }, file).toEqual({
      code: 2,
      stdout: "",
      left: true,
    });
  }
});
