import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callHookline } from "../../src/cli/fixtures/caller.ts";
import { clientForms, type DaemonWorld, openDaemonWorld } from "../daemon/world.ts";
import { until } from "../until.ts";
import { event } from "./guard-app.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

/** Types move the columns of what is built, so that only a map gives the place. */
const hooks = `import { createApp, type App } from "hookline/sdk";
const app: App = createApp();
app.preTool("Bash", ({ input }) => check(input as unknown as { cmd: string }));
function check(input: { cmd: string }): undefined {
  if ((input.cmd as string).includes("rm")) return undefined;
}
export default app;
`;
const message = "Cannot read properties of undefined (reading 'includes') (hooks.ts:5:29)";
const stack = "at check (hooks.ts:5:29)\nat hooks.ts:3:36";
const text = `Hook PreToolUse:Bash#1 failed on PreToolUse: ${message}`;
const stderr = `hookline: ${text}\n    ${stack.replace("\n", "\n    ")}\n`;
const inProject = (session: string) => event({ session_id: session, cwd: realpathSync(world.project) });
const logged = () => (world.log().at(-1) as { handlers: readonly object[] }).handlers;
const record = { name: "PreToolUse:Bash#1", outcome: "failed", error: message, stack };

test("a handler that throws is reported with file, line, column and stack by `hookline run`, at its first and second start", async () => {
  const file = world.file("hooks.ts", hooks);
  for (const session of ["first", "second"]) {
    const ran = await world.cli(["run", file], { input: inProject(session) });
    expect([ran.code, ran.stderr, JSON.parse(ran.stdout)]).toEqual([0, stderr, { systemMessage: text }]);
    expect(logged()).toEqual([{ ...record, ms: expect.any(Number) }]);
  }
});

test("the reason of a refusal names the place", async () => {
  const file = world.file("strict.ts", hooks.replace('"Bash",', '"Bash", { onFailure: "block" },'));
  const { stdout } = await world.cli(["run", file], { input: inProject("strict") });
  expect(JSON.parse(stdout)).toMatchObject({
    hookSpecificOutput: { permissionDecisionReason: expect.stringContaining("(strict.ts:5:29)") },
  });
});

test("a handler that throws is reported with its place and stack by the daemon too", async () => {
  const file = world.file("hooks.ts", hooks);
  await world.serve(file);
  for (const form of clientForms) {
    const before = world.log().length;
    const ran = await world.client([file], inProject(`warm-${form}`), { form });
    expect([form, ran.code, ran.stderr, JSON.parse(ran.stdout)]).toEqual([form, 0, stderr, { systemMessage: text }]);
    await until("a record in the log", () => world.log().length > before);
    expect(logged()).toEqual([{ ...record, ms: expect.any(Number) }]);
  }
});

test("`hookline log` and `hookline test --event` show place and stack, as text and with --json", async () => {
  const file = world.file("hooks.ts", hooks);
  await world.cli(["run", file], { input: inProject("shown") });
  const call = (...words: string[]) =>
    callHookline(words, { home: world.folder, cwd: realpathSync(world.project), env: world.env });
  const log = await call("log", "--session", "shown");
  expect(log.out).toContain(`(${message})`);
  expect(log.out).toContain("\n    at check (hooks.ts:5:29)\n    at hooks.ts:3:36\n");
  const line = JSON.parse((await call("log", "--session", "shown", "--json")).out) as object;
  expect(line).toMatchObject({ handlers: [record] });
  const send = ["test", "--hooks", file, "--event", "PreToolUse:Bash", "--input", '{"command":"ls"}'];
  // A process of its own: the test runner maps stacks in its own way.
  const tried = (...words: string[]) =>
    spawnSync(process.execPath, ["dist/cli/bin.cjs", ...send, ...words].map(absolute), {
      cwd: realpathSync(world.project),
      env: world.env,
      encoding: "utf8",
    }).stdout;
  expect(tried()).toContain(`failed (${message})`);
  expect(tried()).toContain("      at check (hooks.ts:5:29)\n      at hooks.ts:3:36\n");
  expect((JSON.parse(tried("--json")) as { trace: readonly object[] }).trace).toMatchObject([record]);
});

function absolute(word: string): string {
  return word.startsWith("dist/") ? resolve(import.meta.dirname, "../..", word) : word;
}

test("the place is the author's call when hookline's own code throws", async () => {
  const file = world.file(
    "calls.ts",
    `import { createApp } from "hookline/sdk";
const app = createApp();
app.onStop({ name: "h" }, async (_, ctx) => {
  await ctx.state.set("", () => 1);
});
export default app;
`,
  );
  const payload = event({ hook_event_name: "Stop", cwd: realpathSync(world.project) });
  const ran = await world.cli(["run", file], { input: payload });
  expect(ran.stderr).toContain("(calls.ts:4:");
});

test("a name that another package does not export is reported with the author's file, line and column", async () => {
  const other = join(world.project, "node_modules/other");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "package.json"), '{"name":"other","type":"module","exports":"./index.js"}');
  writeFileSync(join(other, "index.js"), "export const known = 1;\n");
  const file = world.file(
    "asks.ts",
    `import { createApp } from "hookline/sdk";
import { unknown } from "other";
export default createApp().onStop(() => void unknown);
`,
  );
  const ran = await world.cli(["run", file, "--on-failure", "block"], { input: event({ hook_event_name: "Stop" }) });
  expect([ran.code, ran.stderr]).toEqual([
    2,
    expect.stringContaining(`${file}:2:10: other does not provide an export named "unknown".`),
  ]);
});
