/** With Claude Code: its answer, tokens and cost as data. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runSession, runSessions, type SessionCall } from "../../src/runner/internal.ts";
import { type LoggedRequest, type Script, startScriptedApi } from "../scripted-api/index.ts";
import { type Client, findClient } from "./install.ts";
import { makeWorld, type World } from "./world.ts";

let client: Client;

beforeAll(async () => {
  client = await findClient();
  if ("missing" in client) console.log(`ask with Claude Code skipped: ${client.missing}`);
});

interface Asked {
  readonly world: World;
  readonly requests: readonly LoggedRequest[];
  call(prompt: string, more?: Partial<SessionCall>): SessionCall;
}

async function asking(script: Script, work: (asked: Asked) => Promise<void>): Promise<void> {
  if ("missing" in client) return;
  const { path } = client;
  const world = await makeWorld();
  const api = await startScriptedApi(script);
  const env = {
    PATH: process.env["PATH"],
    HOME: world.home,
    HOOKLINE_HOME: join(world.root, "state"),
    CLAUDE_CODE_TMPDIR: world.root,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    HOOKLINE_CLAUDE: path,
  };
  const call = (prompt: string, more: Partial<SessionCall> = {}): SessionCall => ({
    prompt,
    cwd: world.project,
    env,
    model: "claude-sonnet-4-5",
    ...more,
  });
  try {
    await work({ world, requests: api.requests, call });
  } finally {
    await api.close();
    await world.remove();
  }
}

const usage = { input_tokens: 120, output_tokens: 30, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 0 };

describe.concurrent("hookline ask and Claude Code", () => {
  test("answer, usage and cost are what the API sent", async () => {
    await asking({ main: [{ blocks: ["forty-two"], usage }] }, async ({ call, world, requests }) => {
      const result = await runSession(call("what is the answer?"));
      expect(result).toMatchObject({
        answer: "forty-two",
        answerSource: "transcript",
        ended: "answered",
        exitCode: 0,
        turns: 1,
        usage: { input: 120, output: 30, cacheRead: 1_000, cacheWrite5m: 0, cacheWrite1h: 0 },
        unpriced: [],
        toolCalls: [],
        denials: [],
        warnings: [],
      });
      // Sonnet's prices per million: 3 in, 15 out, 0.3 from the cache.
      expect(result.costUsd).toBeCloseTo((120 * 3 + 30 * 15 + 1_000 * 0.3) / 1_000_000, 9);
      expect(result.agentReportedCostUsd).toBeCloseTo(result.costUsd ?? -1, 9);
      expect(JSON.stringify(requests.at(-1)?.body)).toContain("what is the answer?");
      expect(await readdir(join(world.root, "state", "ask"))).toEqual([]);
    });
  });

  test("a session is resumed, and so is a fork of it", async () => {
    await asking({ main: ["one", "two", "three"] }, async ({ call }) => {
      const first = await runSession(call("first"));
      const second = await runSession(call("second", { resume: first.sessionId }));
      expect(second).toMatchObject({ answer: "two", sessionId: first.sessionId, ended: "answered" });
      const before = await readFile(String(first.transcriptPath));
      const third = await runSession(call("third", { resume: first.sessionId, fork: true }));
      expect(third).toMatchObject({ answer: "three", ended: "answered" });
      expect(third.sessionId).not.toBe(first.sessionId);
      expect(third.usage?.output).toBe(first.usage?.output);
      expect(await readFile(String(first.transcriptPath))).toEqual(before);
    });
  });

  test("called from inside a session, the caller's transcript gains no line", async () => {
    await asking({ main: ["one", "two"] }, async ({ call }) => {
      const outer = await runSession(call("outer"));
      const before = await readFile(String(outer.transcriptPath));
      const inner = call("inner");
      const identity = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: outer.sessionId, CLAUDE_CODE_ENTRYPOINT: "cli" };
      const result = await runSession({ ...inner, env: { ...inner.env, ...identity } });
      expect(result).toMatchObject({ answer: "two", ended: "answered" });
      expect(result.sessionId).not.toBe(outer.sessionId);
      expect(await readFile(String(outer.transcriptPath))).toEqual(before);
    });
  });

  test("hooks of a project that are not approved do not run, and the result reports it", async () => {
    await asking({ main: ["one", "two"] }, async ({ call, world }) => {
      const hook = { hooks: [{ type: "command", command: `touch ${world.root}/ran` }] };
      await mkdir(join(world.project, ".claude"));
      await writeFile(join(world.project, ".claude/settings.json"), JSON.stringify({ hooks: { Stop: [hook] } }));
      const careful = await runSession(call("a"));
      expect(careful.warnings.map(({ code }) => code)).toEqual(["project-settings-skipped"]);
      expect(await readdir(world.root)).not.toContain("ran");
      const bold = await runSession(call("b", { projectSettings: true }));
      expect(bold.warnings).toEqual([]);
      expect(await readdir(world.root)).toContain("ran");
    });
  });

  test("a timeout ends the child and keeps the output so far", async () => {
    const look = { tool: "Bash", input: { command: "ls" } };
    await asking({ main: [["working on it", look], { blocks: ["late"], delayMs: 60_000 }] }, async ({ call }) => {
      const result = await runSession(call("go", { timeoutMs: 8_000 }));
      expect(result).toMatchObject({ ended: "timeout", exitCode: null, answer: "working on it" });
    });
  });

  test("an API error is an error with a message", async () => {
    await asking({ main: [{ status: 401, message: "invalid x-api-key" }] }, async ({ call }) => {
      const result = await runSession(call("go"));
      expect(result).toMatchObject({ ended: "error" });
      expect(result.error).toContain("API key");
    });
  });

  test("twenty calls with a limit of four give their answers in order", async () => {
    const echo: Script = {
      main: ({ messages }) => `answer ${/number (\d+)/.exec(JSON.stringify(messages.at(-1)))?.[1]}`,
    };
    await asking(echo, async ({ call }) => {
      const calls = Array.from({ length: 20 }, (_, index) => call(`number ${index}`));
      const results = await runSessions(calls, { limit: 4 });
      expect(results.map(({ answer }) => answer)).toEqual(calls.map((_, index) => `answer ${index}`));
      expect(new Set(results.map(({ sessionId }) => sessionId)).size).toBe(20);
    });
  });
});
