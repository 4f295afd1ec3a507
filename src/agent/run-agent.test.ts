import { afterEach, expect, test } from "vitest";
import { makeWorld, type World, type WorldOptions } from "./fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

test("a prompt is answered: events in order, a result, a transcript in the client's format", async () => {
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
