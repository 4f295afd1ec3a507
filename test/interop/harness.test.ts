import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { makeWorld, readTranscript, runClient, type World } from "./index.ts";

const client = inject("client");
let world: World;

beforeEach(async () => {
  world = await makeWorld({ "a.txt": "hello\n" });
});
afterEach(() => world.remove());

describe.skipIf(client === "")("the harness", () => {
  test("a run returns its result, its hooks, what the model received and what was recorded", async () => {
    const read = { tool: "Read", input: { file_path: join(world.project, "a.txt") } };
    const run = await runClient({
      client,
      world,
      prompt: "Read a.txt.",
      script: { main: [read, "It says hello."] },
      settings: { hooks: { Stop: [{ hooks: [{ type: "command", command: "echo bye" }] }] } },
    });
    expect(run.results.at(-1)).toMatchObject({ result: "It says hello.", terminal_reason: "completed" });
    expect(run.hookRuns).toMatchObject([{ event: "Stop", outcome: "success", exitCode: 0, stdout: "bye\n" }]);
    expect(JSON.stringify(run.requests.at(-1)?.body.messages)).toContain("1\\thello");
    const written = await readTranscript(world, run.sessionId ?? "");
    expect(written.filter(({ type }) => type === "assistant")).toHaveLength(2);
  });

  test("a session is resumed in the same world", async () => {
    const first = await runClient({ client, world, prompt: "One.", script: { main: ["first answer"] } });
    const second = await runClient({
      client,
      world,
      prompt: "Two.",
      script: { main: ["second answer"] },
      resume: first.sessionId ?? "",
    });
    expect(second.sessionId).toBe(first.sessionId);
    expect(JSON.stringify(second.requests[0]?.body.messages)).toContain("first answer");
  });

  test("nothing of our own environment reaches Claude Code or its hooks", async () => {
    const command = `env > ${join(world.root, "env.txt")}`;
    await runClient({
      client,
      world,
      prompt: "Go.",
      script: {},
      settings: { hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } },
    });
    const names = (await readFile(join(world.root, "env.txt"), "utf8")).split("\n").map((line) => line.split("=")[0]);
    const ours = Object.keys(process.env).filter((name) => /^(VITEST|npm_|NODE_ENV)/.test(name));
    expect(ours.length).toBeGreaterThan(0);
    expect(names.filter((name) => ours.includes(name ?? ""))).toEqual([]);
  });

  test("a run of Claude Code that does not end is ended, with everything it started", async () => {
    const started = Date.now();
    const run = await runClient({
      client,
      world,
      prompt: "Go.",
      script: { main: () => ({ tool: "Bash", input: { command: "echo again" } }) },
      args: ["--allowedTools", "Bash"],
      timeoutMs: 3_000,
    });
    expect(run.timedOut).toBe(true);
    expect(Date.now() - started).toBeLessThan(8_000);
  });

  test("an API error ends the run as an error", async () => {
    const run = await runClient({ client, world, prompt: "Go.", script: { main: [{ status: 429 }] } });
    expect([run.exitCode, run.results.at(-1)?.is_error]).toEqual([1, true]);
  });
});
