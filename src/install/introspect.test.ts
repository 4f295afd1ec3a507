import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { dist } from "../files/fixtures/programs.ts";
import { buildFile } from "../sdk/index.ts";
import { world } from "./fixtures/world.ts";
import { introspect } from "./introspect.ts";

const program = [process.execPath, join(dist, "install", "child.js")];

/** A hooks file in a project of its own, with something to import beside it. */
function written(text: string, name = "app.ts") {
  const here = world();
  const file = join(here.project, ".claude", name);
  writeFileSync(file, text);
  writeFileSync(join(here.project, ".claude", "lib.ts"), "export const name: string = 'lib';\n");
  return { ...here, file, env: { PATH: process.env["PATH"], HOME: here.home, HOOKLINE_HOME: here.state } };
}

function asked(text: string, { name, timeoutMs }: { name?: string; timeoutMs?: number } = {}) {
  const { file, project, env } = written(text, name);
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return { result: introspect(file, { program, cwd: project, env, ...limit }), file, project };
}

const app = (body: string, head = "") =>
  `import { createApp } from "hookline/sdk";\n${head}\nconst app = createApp();\n${body}\nexport default app;\n`;

test("an app reports ids, failure modes, deadlines and inputs; what it prints is kept apart", async () => {
  const body = `console.log("hello"); process.stdout.write("raw\\n"); console.error(name);
app.preTool(["Bash", "mcp__x__*"], { onFailure: "block", timeoutMs: 1500 }, () => undefined).postTool(() => undefined).onStop(() => undefined);`;
  const { result, file, project } = asked(app(body, 'import { name } from "./lib.ts";'));
  const { events, inputs, prints, contentHash } = await result;
  expect(events).toEqual([
    { event: "PreToolUse", ids: ["PreToolUse:Bash", "PreToolUse:mcp__x__*"], onFailure: "block", deadlineMs: 1500 },
    { event: "PostToolUse", ids: ["PostToolUse"], onFailure: "continue", deadlineMs: 30_000 },
    { event: "Stop", ids: ["Stop"], onFailure: "continue", deadlineMs: 30_000 },
  ]);
  expect([...inputs].sort()).toEqual([file, join(project, ".claude", "lib.ts")].sort());
  expect([prints, contentHash.length]).toEqual(["hello\nraw\nlib", 64]);
});

test.each([
  [
    "a syntax error",
    "const = 1;",
    "install/syntax",
    /app\.ts has a syntax error: app\.ts:1: .*\. Nothing was written\.$/,
  ],
  [
    "an import that is not there",
    'import "./gone.ts";\nexport default 1;',
    "install/import",
    /app\.ts cannot be imported: .*gone/,
  ],
  [
    "a package that is not there",
    'import "no-such-package-here";\nexport default 1;',
    "install/import",
    /no-such-package-here/,
  ],
  ["a file that throws", 'throw new Error("boom");', "install/import", /boom/],
  ["a file that ends the process", "process.exit(0);", "install/import", /ended the process with status 0/],
  [
    "a file that prints without end",
    'process.stdout.write("x".repeat(2 ** 25)); export default 1;',
    "install/import",
    /prints without end/,
  ],
  ["a file that is killed", 'process.kill(process.pid, "SIGKILL");', "install/import", /ended by SIGKILL/],
  [
    "a file that spoils what is said of it",
    'JSON.stringify = () => "{}"; throw new Error("x");',
    "install/import",
    /changes what Node itself says/,
  ],
  ["no default export", "export const x = 1;", "install/no-app", /no default export/],
  ["another default export", "export default {};", "install/no-app", /exports no app/],
])("%s is told in words of its own, with the file's name", async (_, text, code, message) => {
  const { result, file } = asked(text);
  await expect(result).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(result).rejects.toThrow(file);
});

test("a syntax error in plain JavaScript is one too", async () => {
  const { result } = asked("const = 1;", { name: "app.mjs" });
  await expect(result).rejects.toMatchObject({ code: "install/syntax", message: expect.stringMatching(/app\.mjs:1/) });
});

test("an app without handlers has no events", async () => {
  expect((await asked(app("")).result).events).toEqual([]);
});

test("what does not load in time is ended with everything it started, and so is what is left after a good end", async () => {
  const { folder } = world();
  const [late, good] = [join(folder, "late"), join(folder, "good")];
  const leave = (file: string) =>
    `import { spawn } from "node:child_process";\nspawn("sh", ["-c", "sleep 1; touch ${file}"], { detached: true, stdio: "ignore" }).unref();\n`;
  const hanging = asked(`${leave(late)}await new Promise(() => setInterval(() => undefined, 1000));`, {
    timeoutMs: 900,
  });
  await expect(hanging.result).rejects.toMatchObject({
    code: "install/timeout",
    message: expect.stringContaining("within 0.9 s"),
  });
  await asked(app("", leave(good))).result;
  await sleep(1_500);
  expect([existsSync(late), existsSync(good)]).toEqual([false, false]);
});

/** V8 writes its traces to any file that a flag names, whatever Node's permission model says. */
const codeTraces = `import v8 from "node:v8";
for (const flag of ["--redirect-code-traces", "--redirect-code-traces-to=CANARY", "--trace-opt"]) v8.setFlagsFromString(flag);
const hot = (a) => { let sum = 0; for (let i = 0; i < 100; i++) sum += a * i; return sum; };
for (let i = 0; i < 200_000; i++) hot(i);`;

test.each([
  ["writes", `import { writeFileSync } from "node:fs";\nwriteFileSync("CANARY", "");`],
  ["starts a program", `import { execFileSync } from "node:child_process";\nexecFileSync("touch", ["CANARY"]);`],
  ["starts a thread", `import { Worker } from "node:worker_threads";\nnew Worker("", { eval: true });`],
  ["connects", `import { connect } from "node:net";\nconnect(9, "127.0.0.1");`],
  ["asks for a name", `import { lookup } from "node:dns/promises";\nawait lookup("localhost");`],
  ["fetches", `await fetch("http://127.0.0.1:9/");`],
  ["takes a bare socket", `import net from "node:net";\nnet._createServerHandle("127.0.0.1", 0, 4);`],
  ["signals", `process.kill(process.ppid, "SIGCONT");`],
  ["signals past the usual way", `process._kill(process.ppid, 18);`],
  ["has V8 write a file", codeTraces],
  ["traces", `import trace from "node:trace_events";\ntrace.createTracing({ categories: ["node"] }).enable();`],
])("looked at without effects, code that %s while it is loaded is refused", async (_, head) => {
  const canary = join(world().folder, "canary");
  const text = app("app.onStop(() => undefined);", head.replaceAll("CANARY", canary));
  const { file, project, env } = written(text, "app.mjs");
  await buildFile(file, env);
  const looked = introspect(file, {
    program,
    cwd: project,
    env: { ...env, NODE_OPTIONS: "--allow-child-process" },
    quiet: true,
  });
  await expect(looked).rejects.toThrow(/refused: the file is only looked at|ERR_ACCESS_DENIED|Access to this API/);
  expect(existsSync(canary)).toBe(false);
});
