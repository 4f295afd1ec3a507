/** Claude Code resumes a session of our agent, and our agent resumes one of Claude Code. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runAgent } from "../../src/agent/internal.ts";
import { type Model, type ModelRequest, type ModelScript, scripted } from "../../src/models/internal.ts";
import { findSession } from "../../src/sessions/internal.ts";
import { runClient } from "./client.ts";
import { type Client, findClient } from "./install.ts";
import { makeWorld, type World } from "./world.ts";

let client: Client;

beforeAll(async () => {
  client = await findClient();
  if ("missing" in client) console.log(`sessions of Claude Code skipped: ${client.missing}`);
});

async function inWorld(work: (world: World, path: string) => Promise<void>): Promise<void> {
  if ("missing" in client) return;
  const world = await makeWorld({ "notes.txt": "blue mugs\n" });
  try {
    await work(world, client.path);
  } finally {
    await world.remove();
  }
}

async function ourAgent(world: World, answers: ModelScript["answers"], more: object) {
  const model = await scripted({ model: "claude-sonnet-4-5", answers });
  const requests: ModelRequest[] = [];
  const watched: Model = {
    ...model,
    stream(request, signal) {
      requests.push(request);
      return model.stream(request, signal);
    },
  };
  const result = await runAgent({
    model: watched,
    cwd: world.project,
    home: world.home,
    env: { PATH: process.env["PATH"], HOME: world.home, HOOKLINE_HOME: join(world.root, "state"), TMPDIR: world.root },
    store: join(world.home, ".claude"),
    version: "0.1.0",
    allowedTools: ["Bash(cat *)"],
    ...more,
  });
  expect(model.complaints()).toEqual([]);
  return { result, requests };
}

describe.concurrent("sessions go from one agent to the other", () => {
  test("Claude Code resumes our session and sends its whole history", async () => {
    await inWorld(async (world, path) => {
      const look = { tool: "Bash", input: { command: "cat notes.txt", description: "Read notes" } };
      const { result } = await ourAgent(world, [{ text: "I look.", calls: [look] }, { text: "The notes name mugs." }], {
        prompt: "What do the notes say?",
      });
      const run = await runClient({
        client: path,
        world,
        script: { main: ["They are blue."] },
        prompt: "And their colour?",
        resume: result.session_id,
      });
      expect(run.results.at(-1)).toMatchObject({ subtype: "success", result: "They are blue." });
      const sent = JSON.stringify(run.requests.at(-1)?.body);
      for (const words of ["What do the notes say?", "I look.", "cat notes.txt", "blue mugs", "The notes name mugs."]) {
        expect(sent).toContain(words);
      }
    });
  });

  test("our agent resumes a session of Claude Code in a fork; the original is not changed", async () => {
    await inWorld(async (world, path) => {
      const look = { tool: "Bash", input: { command: "cat notes.txt" } };
      const run = await runClient({
        client: path,
        world,
        script: { main: [["I look.", look], "The notes name mugs."] },
        prompt: "What do the notes say?",
        args: ["--allowedTools", "Bash(cat *)"],
      });
      const id = String(run.sessionId);
      const { file } = await findSession(id, { roots: [join(world.home, ".claude")] });
      const before = await readFile(file);
      const { result, requests } = await ourAgent(world, [{ text: "They are blue." }], {
        prompt: "And their colour?",
        resume: id,
      });
      expect(result).toMatchObject({ subtype: "success", result: "They are blue." });
      expect(result.session_id).not.toBe(id);
      expect(await readFile(file)).toEqual(before);
      const sent = JSON.stringify(requests.filter(({ purpose }) => purpose === "main").at(-1)?.messages);
      for (const words of ["What do the notes say?", "I look.", "cat notes.txt", "blue mugs", "The notes name mugs."]) {
        expect(sent).toContain(words);
      }
    });
  });
});
