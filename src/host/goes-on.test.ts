import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World } from "./fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const files = (): readonly string[] => readdirSync(world.store, { recursive: true, encoding: "utf8" }).sort();

test("a session that goes on without being written knows what was said, and writes nothing", async () => {
  world = makeWorld({ hooks: { SessionStart: {} } });
  const sessionId = randomUUID();
  await world.run([{ text: "The word is plum." }], { prompt: "Choose a word", sessionId });
  const before = [files(), world.transcript(sessionId)];
  for (const named of [{ resume: sessionId }, { goOn: true }]) {
    const ran = await world.run([{ text: "ok" }], { prompt: "Which one?", persist: false, ...named });
    expect(JSON.stringify(ran.requests[0]?.messages)).toContain("The word is plum.");
    expect(ran.result.session_id).not.toBe(sessionId);
  }
  expect([files(), world.transcript(sessionId)]).toEqual(before);
  expect(world.payloads("SessionStart").map(({ source }) => source)).toEqual(["startup", "resume", "resume"]);
});

test("a fork gets the id it is given, and never that of another session", async () => {
  world = makeWorld({ hooks: {} });
  const [first, second] = [randomUUID(), randomUUID()];
  await world.run([{ text: "The word is plum." }], { prompt: "Choose a word", sessionId: first });
  const fork = { prompt: "go", resume: first, fork: true, sessionId: second };
  const ran = await world.run([{ text: "ok" }], fork);
  expect(ran.result.session_id).toBe(second);
  expect(JSON.stringify(world.transcript(second))).toContain("The word is plum.");
  await expect(world.run([{ text: "ok" }], fork)).rejects.toThrow(`holds a session ${second} already`);
});
