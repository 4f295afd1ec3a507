import { expect, test } from "vitest";
import { asking } from "./fixtures/asking.ts";
import { runSession } from "./run-session.ts";
import type { SessionEvent } from "./session-call.ts";

test("a child that ignores SIGTERM is killed, and its text so far is kept", async () => {
  const { call, left } = await asking("hang");
  const result = await runSession(call("hi", { timeoutMs: 1_500 }));
  expect(result).toMatchObject({ ended: "timeout", exitCode: null, answer: "so far", answerSource: "result" });
  expect(left()).toEqual([]);
});

test("an interrupt ends the child, and the result is `interrupted`", async () => {
  const { call } = await asking("hang");
  const stop = new AbortController();
  const onEvent = (event: SessionEvent) => void (event.kind === "message" && stop.abort());
  expect(await runSession(call("hi", { signal: stop.signal, onEvent }))).toMatchObject({ ended: "interrupted" });
});
