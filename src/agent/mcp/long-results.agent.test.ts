import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type Ran, type World } from "../fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const program = join(import.meta.dirname, "fixtures/stdio-server.mjs");
const mcpConfig = [JSON.stringify({ mcpServers: { srv: { command: process.execPath, args: [program] } } })];
const settings = { permissions: { allow: ["mcp__srv"] } };

/** The result of one tool call as the model got it. */
async function toldOf(tool: string, q: string, options: { env?: World["env"]; hooks?: object } = {}): Promise<string> {
  const { env, hooks = {} } = options;
  world = makeWorld({ settings, hooks });
  const script = [{ calls: [{ tool: `mcp__srv__${tool}`, input: { q } }] }, { text: "Done." }];
  const ran = await world.run(script, { prompt: "go", mcpConfig, env: { ...world.env, ...env } });
  expect(ran.complaints).toEqual([]);
  return lastResult(ran);
}

function lastResult({ requests }: Ran): string {
  const { content } = requests.at(-1)?.messages.at(-1) ?? { content: [] };
  return JSON.stringify((content as { content?: unknown }[])[0]?.content);
}

const pathIn = (told: string): string => /in (\/\S+)\. Read it/.exec(told)?.[1] ?? "";

test("a result over 25,000 tokens is saved in a private file, and the model gets its path", async () => {
  const told = await toldOf("long", "100", { hooks: { PostToolUse: {} } });
  expect(told).toContain("the result has 3,000,099 characters, more than the 25000 tokens");
  expect(told.length).toBeLessThan(1_000);
  const blocks = JSON.parse(readFileSync(pathIn(told), "utf8")) as { text: string }[];
  expect(blocks.map(({ text }) => text.length)).toEqual(Array.from({ length: 100 }, () => 30_000));
  expect(statSync(pathIn(told)).mode & 0o777).toBe(0o600);
  expect(world.payloads("PostToolUse")[0]?.["tool_response"]).toContain(pathIn(told));
});

test("a result within 25,000 tokens reaches the model whole", async () => {
  expect((await toldOf("long", "3")).length).toBeGreaterThan(90_000);
});

test("MAX_MCP_OUTPUT_TOKENS sets the limit", async () => {
  const told = await toldOf("long", "1", { env: { MAX_MCP_OUTPUT_TOKENS: "1000" } });
  expect(told).toContain("more than the 1000 tokens");
  expect(readFileSync(pathIn(told), "utf8")).toHaveLength(30_000);
});

test("a structured result is bounded as a text is, and an error loses its middle", async () => {
  expect(await toldOf("long_structure", "100")).toContain("All of it is saved as plain text in");
  world.remove();
  const told = await toldOf("long_error", "100");
  expect(told).toContain("characters truncated");
  expect(told.length).toBeLessThan(13_000);
});

test("what a hook puts in the place of a result is cut at the same limit", async () => {
  const answer = { hookEventName: "PostToolUse", updatedToolOutput: ["x".repeat(60_000), "y".repeat(60_000)] };
  const told = await toldOf("do_thing", "z", { hooks: { PostToolUse: { print: { hookSpecificOutput: answer } } } });
  expect(told).toContain("[cut: 20000 more characters]");
});

test("a picture that the API would refuse, and an empty text, do not reach the model", async () => {
  expect(await toldOf("no_picture", "")).toBe(
    JSON.stringify([
      { type: "text", text: "[image left out: it is not a PNG, JPEG, GIF or WebP picture]" },
      { type: "text", text: "no dot" },
    ]),
  );
  world.remove();
  expect(await toldOf("huge_picture", "")).toContain("[image left out: 6.0 MB of base64 is more than");
});
