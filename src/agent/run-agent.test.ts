import { afterEach, expect, test } from "vitest";
import type { UserAnswer } from "./agent-ports.ts";
import { makeWorld, type World, type WorldOptions } from "./fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

test("a prompt gives events in order, a result, and a transcript in the format of Claude Code", async () => {
  const { run, payloads, transcript, store } = open();
  const { result, complaints } = await run([{ text: "Hello there." }], { prompt: "Say hello" });
  expect(complaints).toEqual([]);
  expect(result).toMatchObject({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "Hello there.",
    num_turns: 1,
    terminal_reason: "completed",
    stop_reason: "end_turn",
  });
  expect(payloads().map((payload) => payload["hook_event_name"])).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "MessageDisplay",
    "Stop",
    "SessionEnd",
  ]);
  expect(store).toBeTruthy();
  expect(transcript(result.session_id).map((line) => line["type"])).toEqual([
    "queue-operation",
    "queue-operation",
    "user",
    "assistant",
    "last-prompt",
  ]);
});

test("a model that throws, sends nonsense or ends without an answer ends the turn with an API error", async () => {
  const { run } = open({ hooks: {} });
  const streams = [
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("wires cut")) }) }),
    () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) }),
    async function* () {
      yield null;
    },
    async function* () {
      yield { type: "end", content: "hi" };
    },
    async function* () {
      yield { type: "end", model: "m", usage: {}, content: [{ type: "text" }] };
    },
  ];
  const texts: unknown[] = [];
  for (const stream of streams) {
    const { result } = await run([], { prompt: "hi", model: { name: "own", stream } as never });
    texts.push([result.is_error, result.result]);
  }
  expect(texts).toEqual([
    [true, "API Error: The model threw: wires cut"],
    [true, "API Error: The answer ended before it was complete."],
    [true, "API Error: The model sent something that is not an event: null"],
    [true, 'API Error: The model sent something that is not an event: {"type":"end","content":"hi"}'],
    [
      true,
      expect.stringContaining('API Error: The model sent something that is not an event: {"type":"end","model":"m"'),
    ],
  ]);
});

test("a permission prompt that throws denies the call with its message", async () => {
  const { run } = open({ hooks: {} });
  const call = { calls: [{ tool: "Bash", input: { command: "touch made" } }] };
  const permission = () => Promise.reject(new Error("the window is closed"));
  const { result, requests } = await run([call, { text: "done" }], { prompt: "go", user: { permission } });
  expect(result.is_error).toBe(false);
  expect(JSON.stringify(requests[1]?.messages)).toContain(
    "The user could not be asked for permission: the window is closed",
  );
});

test.each([undefined, "allow", {}, { decision: "allow" }])(
  "a permission prompt that returns %j denies the call",
  async (answer) => {
    const { run } = open({ hooks: {} });
    const call = { calls: [{ tool: "Bash", input: { command: "touch made" } }] };
    const permission = async () => answer as never;
    const { result, requests } = await run([call, { text: "done" }], { prompt: "go", user: { permission } });
    expect(result.is_error).toBe(false);
    expect(requests[1]?.messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: expect.stringContaining("The permission port answered") },
    ]);
  },
);

test("a permission prompt that denies with a number for a message gives the model text", async () => {
  const { run } = open({ hooks: {} });
  const call = { calls: [{ tool: "Bash", input: { command: "touch made" } }] };
  const permission = async () => ({ behavior: "deny", message: 5 }) as never;
  const { requests } = await run([call, { text: "done" }], { prompt: "go", user: { permission } });
  expect(requests[1]?.messages.at(-1)?.content).toMatchObject([{ is_error: true, content: "5" }]);
});

test("a user port that is an instance of a class, with private fields, answers", async () => {
  class Port {
    readonly #asked: string[] = [];
    async permission({ tool }: { readonly tool: string }): Promise<UserAnswer> {
      this.#asked.push(tool);
      return { behavior: "deny", message: this.#asked.join() };
    }
  }
  const { run } = open({ hooks: {} });
  const call = { calls: [{ tool: "Bash", input: { command: "touch made" } }] };
  const { requests } = await run([call, { text: "done" }], { prompt: "go", user: new Port() });
  expect(requests[1]?.messages.at(-1)?.content).toMatchObject([{ is_error: true, content: "Bash" }]);
});

test("a user port that can answer nothing is refused", async () => {
  const { run } = open({ hooks: {} });
  for (const user of [{ permision: async () => ({ behavior: "allow" }) }, { permission: true }, {}]) {
    await expect(run([], { prompt: "go", user: user as never })).rejects.toMatchObject({
      code: "host/bad-option",
      message: expect.stringContaining("an object with functions for some of permission, question, confirm, elicit"),
    });
  }
});

test("a model that /model cannot open leaves the session as it is", async () => {
  const { run } = open({ hooks: {} });
  const openModel = () => Promise.reject(new Error("no such model"));
  const { result } = await run([], { prompt: "/model other", openModel });
  expect([result.is_error, result.result]).toEqual([false, "no such model"]);
});

test("a run that can never get a prompt is refused", async () => {
  const { run } = open({ hooks: {} });
  await expect(run([])).rejects.toMatchObject({ code: "host/no-prompt" });
});
