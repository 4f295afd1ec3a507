import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { openInbox } from "./inbox.ts";

const prompt = { kind: "prompt", source: "sdk", content: "go" } as const;

test("waiting for items leaves no listener on the signal", async () => {
  const inbox = openInbox();
  const { signal } = new AbortController();
  inbox.hold();
  for (let count = 0; count < 3; count += 1) {
    const waiting = inbox.wait(signal);
    inbox.put(prompt);
    await waiting;
    expect(inbox.take()).toEqual(prompt);
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort ends the wait", async () => {
  const inbox = openInbox();
  inbox.hold();
  const ending = new AbortController();
  const waiting = inbox.wait(ending.signal);
  ending.abort(new Error("over"));
  await expect(waiting).rejects.toThrow("over");
});

test("an interrupt before a turn begins keeps notifications for the next prompt", () => {
  const inbox = openInbox();
  const news = { kind: "news", source: "system", content: "a command ended" } as const;
  inbox.put(news);
  inbox.put(prompt);
  inbox.interruptNext();
  expect(inbox.take()).toEqual({ ...prompt, interrupted: true });
  expect(inbox.take()).toBeUndefined();
  expect(inbox.takeNotifications()).toEqual([{ ...news, quiet: true }]);
});
