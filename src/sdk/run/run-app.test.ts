import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { type App, type AppOptions, block, createApp, deny, type RunAppOptions, runApp, serveApp } from "../index.ts";
import { fixtures } from "../testing/index.ts";

/** Runs an app over an input, and gives what came of it and the last record of the log. */
async function ran(app: unknown, input: string | PassThrough, options: Partial<RunAppOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-run-app-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [output, errors] = [sink(), sink()];
  const stream = typeof input === "string" ? new PassThrough().end(input) : input;
  const code = await runApp(app, {
    input: stream,
    output,
    errors,
    env: { HOOKLINE_HOME: folder },
    cwd: folder,
    ...options,
  });
  const log =
    readFileSync(join(folder, "log", "hooks.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .at(-1) ?? "";
  return { stdout: output.text, stderr: errors.text, code, log: JSON.parse(log) as Record<string, unknown> };
}

function sink() {
  return {
    text: "",
    write(text: string, done?: () => void) {
      this.text += text;
      done?.();
      return true;
    },
  };
}

const event = JSON.stringify(fixtures.PreToolUse());
const guard = (options: AppOptions = {}) =>
  createApp(options).preTool("Bash", { name: "guard" }, ({ input }) => deny(`no ${input.command}`));

test("an input that fails, or is not bytes, is an event that cannot be read", async () => {
  async function* failing(): AsyncGenerator<string> {
    yield "{";
    throw new Error("the pipe broke");
  }
  async function* odd(): AsyncGenerator<string> {
    yield 5 as never;
  }
  for (const [input, why] of [[failing(), "the pipe broke"] as const, [odd(), "must be"] as const]) {
    const { code, stderr } = await ran(guard({ onFailure: "block" }), "", { input });
    expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`The event cannot be read: .*${why}`))]);
  }
});

test("an app in code answers one event as hookline run does, and leaves an input that stays open", async () => {
  const open = new PassThrough();
  for (const byte of Buffer.from(`\uFEFF ${event}`)) open.write(Buffer.from([byte]));
  for (const input of [event, open]) {
    const { stdout, stderr, code, log } = await ran(guard(), input);
    expect([JSON.parse(stdout), stderr, code]).toEqual([
      {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "no echo hi",
        },
      },
      "",
      0,
    ]);
    expect(log).toMatchObject({ event: "PreToolUse", transport: "run", answer: "refused" });
  }
  expect(open.destroyed).toBe(true);
});

test("a refusal that only an exit status can express gives that status", async () => {
  const app = createApp().onTaskCreated(() => block("not today"));
  expect(await ran(app, JSON.stringify(fixtures.TaskCreated()))).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "not today\n",
  });
});

test("a payload that is not an event, and silence, are reported by the failure mode", async () => {
  expect(await ran(guard({ onFailure: "block" }), "{")).toMatchObject({
    code: 2,
    stdout: "",
    log: { answer: "refused" },
  });
  const result = await ran(guard(), "[1]");
  expect([result.code, JSON.parse(result.stdout), result.stderr]).toEqual([
    1,
    { systemMessage: "hookline: The event cannot be read: it is not a JSON object." },
    "hookline: The event cannot be read: it is not a JSON object.\n",
  ]);
  expect((await ran(guard(), "{", { onFailure: "block" })).code).toBe(2);
  expect(await ran(guard(), new PassThrough(), { silenceMs: 20 })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no complete payload came"),
  });
});

test("HOOKLINE=0 gives no opinion, and a value that is not an app is a problem", async () => {
  const env = { HOOKLINE: "0", HOOKLINE_HOME: mkdtempSync(join(tmpdir(), "hookline-run-app-off-")) };
  onTestFinished(() => rmSync(env.HOOKLINE_HOME, { recursive: true, force: true }));
  expect(
    await runApp(guard({ onFailure: "block" }), { env, input: new PassThrough(), output: { write: () => true } }),
  ).toBe(0);
  expect(readFileSync(join(env.HOOKLINE_HOME, "log", "hooks.jsonl"), "utf8")).toContain('"off":true');
  await expect(runApp({})).rejects.toMatchObject({
    code: "sdk/no-app",
    stack: expect.stringMatching(/^[^\n]*\n +at .*run-app\.test\.ts:/),
  });
});

test("with the process's own output nothing but the answer goes there, no handler ends the process, and its status is set", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-run-app-own-"));
  const before = process.exitCode;
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text: unknown, done?: unknown) => {
    written.push(String(text));
    if (typeof done === "function") done();
    return true;
  });
  onTestFinished(() => {
    spy.mockRestore();
    process.exitCode = before;
    rmSync(folder, { recursive: true, force: true });
  });
  const errors = sink();
  const app = createApp()
    .onTaskCreated({ name: "prints" }, () => void process.stdout.write("printed\n"))
    .onTaskCreated({ name: "leaves", onFailure: "block" }, () => process.exit(0));
  const code = await runApp(app, {
    input: new PassThrough().end(JSON.stringify(fixtures.TaskCreated())),
    errors,
    env: { HOOKLINE_HOME: folder },
  });
  expect([code, process.exitCode, written]).toEqual([2, 2, []]);
  expect(errors.text).toContain("printed\n");
  expect(errors.text).toContain("leaves failed: process.exit(0) was called; hooks and tasks end by returning");
});

test("a misspelled option of runApp or serveApp is refused by name", async () => {
  const refused = { code: "sdk/bad-option", message: expect.stringContaining('runApp has no option "onfailure"') };
  await expect(runApp(createApp(), { onfailure: "block" } as never)).rejects.toMatchObject(refused);
  const other = {
    code: "sdk/bad-option",
    message: expect.stringContaining('serveApp has no option "tokn". Did you mean "token"?'),
  };
  await expect(serveApp(createApp(), { tokn: "x" } as never)).rejects.toMatchObject(other);
});

test("a tool call without the name of its tool is a failed call", async () => {
  const faults = [
    [{ hook_event_name: "PreToolUse", tool_input: {} }, "tool_name is missing; PreToolUse needs it"],
    [{ hook_event_name: "PreToolUse", tool_name: 42 }, "tool_name of PreToolUse must be a non-empty string, not 42"],
    [
      { hook_event_name: "PermissionRequest", tool_name: "" },
      'tool_name of PermissionRequest must be a non-empty string, not ""',
    ],
  ] as const;
  for (const [payload, fault] of faults) {
    const event = payload.hook_event_name;
    const failed = `The event cannot be read: ${fault}.`;
    const stderr = `hookline: ${failed}\n`;
    const blocked = await ran(guard({ onFailure: "block" }), JSON.stringify(payload));
    expect(blocked).toMatchObject({ stdout: "", stderr, code: 2, log: { event, answer: "refused", failed } });
    const reported = await ran(guard({}), JSON.stringify(payload));
    const stdout = `${JSON.stringify({ systemMessage: `hookline: ${failed}` })}\n`;
    expect(reported).toMatchObject({ stdout, stderr, code: 1, log: { event, answer: "none", failed } });
  }
});

test("without the text that names are compared with, handlers for a name fail and the others answer", async () => {
  const payload = '{"hook_event_name":"SubagentStop"}';
  const fault = "The event cannot be read: agent_type is missing; SubagentStop needs it.";
  const named = (options: AppOptions) => createApp(options).onSubagentStop("Explore", () => undefined);
  const general = named({}).onSubagentStop(() => block("not yet"));
  const answerOf = async (app: App) => JSON.parse((await ran(app, payload)).stdout);
  expect(await answerOf(general)).toMatchObject({ decision: "block", reason: "not yet" });
  const failed = expect.stringContaining(fault);
  expect(await answerOf(named({ onFailure: "block" }))).toMatchObject({ decision: "block", reason: failed });
  expect(await answerOf(named({}))).toEqual({ systemMessage: failed });
});

test("a missing text does not fail where no handler names one", async () => {
  const app = createApp({ onFailure: "block" }).onConfigChange(() => block("no"));
  const { stdout, stderr, code } = await ran(app, '{"hook_event_name":"ConfigChange"}');
  expect([stdout, stderr, code]).toEqual(["", "no\n", 2]);
});
