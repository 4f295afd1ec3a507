import { expect, test } from "vitest";
import { appRuntime } from "../app/app-runtime.ts";
import {
  type AppOptions,
  allow,
  approvePermission,
  ask,
  context,
  createApp,
  deny,
  systemMessage,
  type WirePayload,
} from "../index.ts";
import type { LogRecord, RunEnvironment } from "../internal.ts";
import { fixtures, memoryState } from "../testing/index.ts";

const payload = {
  hook_event_name: "PreToolUse",
  session_id: "s",
  tool_name: "Bash",
  tool_use_id: "t1",
  tool_input: { command: "curl -H 'Authorization: Bearer abcdefghijklmnop' x", api_key: "zzz" },
};

async function logged(app: unknown, about: object = payload): Promise<{ records: LogRecord[]; complaints: string[] }> {
  const records: LogRecord[] = [];
  const complaints: string[] = [];
  const world: RunEnvironment = {
    ...{ env: {}, cwd: "/", replay: false, now: () => 0, openTranscript: async () => undefined, state: memoryState() },
    ...{ signal: new AbortController().signal },
    complain: (line) => void complaints.push(line),
    log: (record) => void records.push(record),
  };
  await appRuntime(app)?.dispatch(about as WirePayload, world);
  return { records, complaints };
}

test("a record names the event, the answer and every handler with its outcome", async () => {
  const app = createApp()
    .preTool("Bash", { name: "skips", when: () => false }, () => undefined)
    .preTool("Bash", { name: "passes" }, () => undefined)
    .preTool("Bash", { name: "breaks" }, () => {
      throw new Error("boom");
    })
    .preTool("Bash", { name: "hangs", timeoutMs: 40 }, () => new Promise(() => undefined))
    .preTool("Bash", { name: "denies" }, () => deny("no"))
    .preTool("Bash", { name: "late" }, () => undefined);
  const { records } = await logged(app);
  const thrown = {
    error: expect.stringMatching(/^boom \(.*logger\.test\.ts:43:\d+\)$/),
    stack: expect.stringMatching(/^at .*logger\.test\.ts:43:\d+/),
  };
  expect(records).toEqual([
    {
      ...{ time: "1970-01-01T00:00:00.000Z", session: "s", event: "PreToolUse", tool: "Bash", toolUseId: "t1" },
      ...{ ms: expect.any(Number), answer: "refused", exit: 0, reason: "no" },
      handlers: [
        { name: "skips", outcome: "skipped", ms: expect.any(Number) },
        { name: "passes", outcome: "passed", ms: expect.any(Number) },
        { name: "breaks", outcome: "failed", ms: expect.any(Number), ...thrown },
        {
          name: "hangs",
          outcome: "timed-out",
          ms: expect.any(Number),
          error: expect.stringMatching(/^timed out after \d+ ms$/),
        },
        { name: "denies", outcome: "answered", ms: expect.any(Number) },
        { name: "late", outcome: "not-reached", ms: 0 },
      ],
      warnings: ["handler-failed", "handler-failed"],
    },
  ]);
});

test("the log keeps the reason of every handler", async () => {
  const app = createApp()
    .preTool("Bash", { name: "first" }, () => ask("first"))
    .preTool("Bash", { name: "second" }, () => ask("second"))
    .preTool("Bash", { name: "third" }, () => allow("third"));
  const { records } = await logged(app);
  const at = { outcome: "answered", ms: expect.any(Number) };
  expect(records).toMatchObject([{ answer: "ask", reason: "first" }]);
  expect(records[0]?.["handlers"]).toEqual([
    { name: "first", ...at },
    { name: "second", ...at, answers: ["ask"], reason: "second" },
    { name: "third", ...at, answers: ["allow"], reason: "third" },
  ]);
});

test("what a form of text cannot carry is in the log; a permission that was approved is an answer", async () => {
  const app = createApp()
    .onPreCompact(() => [context("text"), systemMessage("aside")])
    .onPermission(() => approvePermission());
  const [compact] = (await logged(app, fixtures.PreCompact())).records;
  expect(compact).toMatchObject({ answer: "none", exit: 0, stderr: "aside" });
  const [permission] = (await logged(app, fixtures.PermissionRequest())).records;
  expect(permission).toMatchObject({ answer: "allow" });
});

test("an observer that throws is logged each time", async () => {
  const app = createApp()
    .observe("handler-end", () => {
      throw new Error("blind");
    })
    .preTool("Bash", { name: "guard" }, () => deny("no"));
  const { records, complaints } = await logged(app);
  expect(records).toMatchObject([{ answer: "refused", troubles: ["An observer of handler-end threw: blind"] }]);
  expect(complaints).toEqual(["An observer of handler-end threw: blind"]);
});

test("what handlers and middleware write carries their name, and goes to stderr from warn up", async () => {
  const app = createApp()
    .use((_event, { log }, next) => {
      log.warn("outer");
      return next();
    })
    .preTool("Bash", { name: "h" }, (_event, { log }) => {
      log.debug("d");
      log.info("i", { n: 1 });
      log.error("e");
    });
  const { records, complaints } = await logged(app);
  expect(records.slice(0, -1).map(({ handler, level, message, data }) => [handler, level, message, data])).toEqual([
    ["middleware", "warn", "outer", undefined],
    ["h", "debug", "d", undefined],
    ["h", "info", "i", { n: 1 }],
    ["h", "error", "e", undefined],
  ]);
  expect(complaints).toEqual(["warn middleware: outer", "error h: e"]);
});

test("inputs and outputs are logged only on demand, cut, and without secrets", async () => {
  const make = (log: AppOptions["log"]) => createApp({ log: log ?? true }).preTool(() => deny("no"));
  expect((await logged(make(true))).records[0]).not.toHaveProperty("content");
  const { records } = await logged(make({ content: true }));
  expect(records[0]?.["content"]).toEqual({
    input: `{"command":"curl -H 'Authorization: Bearer [redacted]' x","api_key":"[redacted]"}`,
    output: expect.stringContaining('"permissionDecision":"deny"'),
  });
});
