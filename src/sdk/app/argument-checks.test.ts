import { expect, test } from "vitest";
import {
  agentTask,
  approvePermission,
  block,
  blueprint,
  createApp,
  defineStrategy,
  denyPermission,
  runApp,
  serveApp,
  workTasks,
} from "../index.ts";
import { bullmqTasks } from "../tasks/bullmq/index.ts";
import { immediateTasks, memoryState, mockTasks, testClient, testProject, testTranscript } from "../testing/index.ts";

const app = createApp();
const strategy = { name: "s", version: "1", hooks: ["Stop"], build: () => undefined };
const working = { file: "/hooks.ts", env: {}, signal: new AbortController().signal };

const wrong: readonly (readonly [
  call: string,
  make: (options: never) => unknown,
  options: unknown,
  message: string,
])[] = [
  ["createApp", createApp, { stateDir: 5 }, '"stateDir" of createApp is 5; it must be a string'],
  [
    "createApp",
    createApp,
    { state: { sesion: {} } },
    'state of createApp has no option "sesion". Did you mean "session"?',
  ],
  ["createApp", createApp, { state: { session: [] } }, '"session" of state of createApp is []; it must be an object'],
  [
    "createApp",
    createApp,
    { log: { maxbytes: 1 } },
    'log of createApp has no option "maxbytes". Did you mean "maxBytes"?',
  ],
  [
    "createApp",
    createApp,
    { log: { files: 0 } },
    '"files" of log of createApp is 0; it must be a whole number above 0',
  ],
  ["createApp", createApp, { tasks: {} }, '"tasks" of createApp is {}; it must be a task backend'],
  ["createApp", createApp, null, "The options of createApp are null, not an object"],
  [
    "task",
    (options) => createApp().task("t", () => 1, options),
    { tll: 1 },
    'task t has no option "tll". It has ttlMs, priority',
  ],
  [
    "task",
    (options) => createApp().task("t", () => 1, options),
    { ttlMs: "5" },
    '"ttlMs" of task t is "5"; it must be a',
  ],
  [
    "agentTask",
    (options) => agentTask("Go.", options),
    { tools: "Read" },
    '"tools" of agentTask is "Read"; it must be a list',
  ],
  [
    "agentTask",
    (options) => agentTask("Go.", options),
    { command: [] },
    '"command" of agentTask is []; it must be a list',
  ],
  ["agentTask", (options) => agentTask("Go.", options), { maxTurns: 1.5 }, '"maxTurns" of agentTask is 1.5'],
  [
    "defineStrategy",
    defineStrategy,
    { ...strategy, hoks: [] },
    'strategy s has no option "hoks". Did you mean "hooks"?',
  ],
  [
    "defineStrategy",
    defineStrategy,
    { ...strategy, hooks: "Stop" },
    '"hooks" of strategy s is "Stop"; it must be a list',
  ],
  ["defineStrategy", defineStrategy, { name: "s", version: "1", hooks: [] }, 'strategy s requires the option "build"'],
  ["defineStrategy", defineStrategy, undefined, "are undefined, not an object"],
  ["a strategy", defineStrategy(strategy), 5, "The options of strategy s are a number, not an object"],
  ["blueprint", (options) => blueprint("b", options), { x: 1 }, 'b has no option "x".'],
  [
    "blueprint",
    (options: object) => blueprint("b", options, { file: "string" }),
    { file: 5 },
    '"file" of b is 5; it must be a string',
  ],
  [
    "blueprint",
    (options: object) => blueprint("b", options, { per: ["day", "month"] }),
    { per: "year" },
    '"per" of b is "year"; it must be "day" or "month"',
  ],
  [
    "blueprint",
    (options: object) => blueprint("b", options, { file: "strin" as never }),
    { file: "x" },
    'The type "strin" of the option "file" of b is unknown; the types are string,',
  ],
  [
    "a strategy",
    defineStrategy<{ at: number }>({ ...strategy, options: { at: "number" } }),
    { at: "5" },
    '"at" of strategy s is "5"; it must be a number',
  ],
  [
    "a strategy",
    defineStrategy<{ at: number }>({ ...strategy, options: { at: "number" } }),
    { on: 5 },
    'strategy s has no option "on".',
  ],
  [
    "approvePermission",
    approvePermission,
    { inptu: {} },
    'approvePermission() has no option "inptu". Did you mean "input"?',
  ],
  [
    "approvePermission",
    approvePermission,
    { input: "ls" },
    '"input" of approvePermission() is "ls"; it must be an object',
  ],
  ["testClient", (options) => testClient(app, options), { cwd: 5 }, '"cwd" of testClient is 5; it must be a string'],
  [
    "testTranscript",
    testTranscript,
    { session: "s" },
    'testTranscript has no option "session". Did you mean "sessionId"?',
  ],
  [
    "testTranscript",
    testTranscript,
    { startedAt: "now" },
    '"startedAt" of testTranscript is "now"; it must be a valid Date',
  ],
  [
    "tool",
    (result) => testTranscript().tool("Bash", {}, result),
    { eror: "x" },
    'has no option "eror". Did you mean "error"?',
  ],
  ["tool", (result) => testTranscript().tool("Bash", {}, result), { text: "x" }, 'requires the option "response"'],
  ["memoryState", memoryState, { sesion: {} }, 'memoryState has no option "sesion". Did you mean "session"?'],
  ["mockTasks", mockTasks, { lease: 1 }, 'mockTasks has no option "lease".'],
  ["immediateTasks", immediateTasks, { maxOpen: "1" }, '"maxOpen" of immediateTasks is "1"; it must be a whole number'],
  [
    "bullmqTasks",
    bullmqTasks,
    { conection: "redis://x" },
    'bullmqTasks has no option "conection". Did you mean "connection"?',
  ],
  ["bullmqTasks", bullmqTasks, { prefix: "p" }, 'bullmqTasks requires the option "connection"'],
];

test.each(wrong)("%s rejects a wrong option by name (case %#)", (_call, make, options, message) => {
  expect(() => make(options as never)).toThrow(
    expect.objectContaining({ code: "sdk/bad-option", message: expect.stringContaining(message) }),
  );
});

const wrongLater: readonly (readonly [call: string, work: () => Promise<unknown>, message: string])[] = [
  ["runApp", () => runApp(app, { silenceMs: "5" } as never), '"silenceMs" of runApp is "5"; it must be a number'],
  ["runApp", () => runApp(app, { output: 5 } as never), '"output" of runApp is 5; it must be an object with write'],
  ["serveApp", () => serveApp(app, { port: "80" } as never), '"port" of serveApp is "80"; it must be a whole number'],
  ["serveApp", () => serveApp(app, { signal: {} } as never), '"signal" of serveApp is {}; it must be an AbortSignal'],
  ["workTasks", () => workTasks(app, { ...working, idle: 5 } as never), 'workTasks has no option "idle".'],
  [
    "workTasks",
    () => workTasks(app, { ...working, log: {} } as never),
    '"log" of workTasks is {}; it must be a function',
  ],
  ["workTasks", () => workTasks(app, { env: {} } as never), 'workTasks requires the option "file"'],
  ["testProject", () => testProject({ "a.txt": 5 } as never), 'The text of "a.txt" in testProject must be a string'],
];

test.each(wrongLater)("%s rejects with a wrong option by name (case %#)", async (_call, work, message) => {
  await expect(work()).rejects.toMatchObject({ code: "sdk/bad-option", message: expect.stringContaining(message) });
});

test("a wrong option of a wait for tasks fails the handler, and a wait of 0 ms is valid", async () => {
  const waiting = createApp().onPrompt({ name: "waits" }, async ({ prompt }, { tasks }) => {
    await tasks.wait("k", JSON.parse(prompt));
  });
  const [trace] = (await testClient(waiting).prompt('{"timeout":5}')).trace;
  expect(trace?.error).toContain('a wait for tasks has no option "timeout". Did you mean "timeoutMs"?');
  (await testClient(waiting).prompt('{"timeoutMs":0}')).expectNoOpinion();
});

test("ctx.path joins all its parts, and takes strings only", async () => {
  const paths: string[] = [];
  const app = createApp().onPrompt({ name: "paths" }, ({ prompt }, { path }) => {
    paths.push(path(...JSON.parse(prompt)));
  });
  const client = testClient(app, { cwd: "/p" });
  for (const parts of ['["a","b"]', '["a/b"]', "[]"]) await client.prompt(parts);
  expect(paths).toEqual(["/p/a/b", "/p/a/b", "/p"]);
  const [trace] = (await client.prompt('["a",null]')).trace;
  expect(trace?.error).toContain("ctx.path() takes strings, not null.");
});

test("a denial with a misspelled option is still a denial", () => {
  expect(block("no", { hidePromt: true } as object)).toEqual({ kind: "block", reason: "no" });
  expect(denyPermission("no", { interupt: true } as object)).toEqual({ kind: "denyPermission", reason: "no" });
});
