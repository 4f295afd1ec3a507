import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { buildFile } from "../../sdk/internal.ts";
import { app, asked, program, written } from "../fixtures/introspected.ts";
import { world } from "../fixtures/world.ts";
import { introspect } from "./introspect.ts";

/** V8 writes its traces to any file that a flag names, whatever Node's permission model says. */
const codeTraces = `import v8 from "node:v8";
for (const flag of ["--redirect-code-traces", "--redirect-code-traces-to=CANARY", "--trace-opt"]) v8.setFlagsFromString(flag);
const hot = (a) => { let sum = 0; for (let i = 0; i < 100; i++) sum += a * i; return sum; };
for (let i = 0; i < 200_000; i++) hot(i);`;

test("a file that does not load in time is ended with every process it started, and a loaded file leaves no process", async () => {
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
])("in quiet mode, code that %s while it is loaded is refused", async (_, head) => {
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
  await expect(looked).rejects.toThrow(
    /is not allowed while the file is inspected|ERR_ACCESS_DENIED|Access to this API/,
  );
  expect(existsSync(canary)).toBe(false);
});
