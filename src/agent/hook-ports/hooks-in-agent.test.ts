import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

const usage = { input: 100, output: 10, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
const model = "claude-haiku-4-5";

test("a prompt hook of the agent denies a call and ends the turn; its tokens are in modelUsage and not in usage", async () => {
  const { run } = open({ hooks: {} });
  const hooks = { PreToolUse: [{ hooks: [{ type: "prompt", prompt: "Nothing may be deleted.", model: "haiku-x" }] }] };
  const { result, requests, complaints } = await run(
    {
      model,
      answers: [
        { calls: [{ tool: "Bash", input: { command: "rm a" } }], usage },
        {
          when: { purpose: "prompt-hook", lastMessage: "rm a" },
          calls: [{ tool: "StructuredOutput", input: { ok: false, reason: "that deletes" } }],
          usage: { ...usage, input: 7000 },
        },
      ],
    },
    { prompt: "clean up", settings: [JSON.stringify({ hooks })], permissionMode: "bypassPermissions" },
  );
  expect(complaints).toEqual([]);
  expect(requests.map(({ purpose, model: asked }) => [purpose, asked])).toEqual([
    ["main", model],
    ["prompt-hook", "haiku-x"],
  ]);
  expect(result).toMatchObject({
    terminal_reason: "hook_stopped",
    usage: { input_tokens: 100 },
    modelUsage: { [model]: { inputTokens: 100 }, "haiku-x": { inputTokens: 7000 } },
  });
});

test("in the agent an agent hook reads files, through the same rules and hooks as every call, and only reads", async () => {
  const { run, payloads } = open({
    files: { "notes.txt": "two tests fail", ".env": "SECRET=1" },
    hooks: { PreToolUse: {} },
    settings: { permissions: { deny: ["Read(.env)"] } },
  });
  const hooks = { Stop: [{ hooks: [{ type: "agent", prompt: "The notes must say that all tests pass." }] }] };
  const when = { purpose: "agent-hook" } as const;
  const { result, requests, complaints } = await run(
    {
      answers: [
        { text: "Done." },
        {
          when,
          calls: [
            { tool: "Read", input: { file_path: "notes.txt" } },
            { tool: "Read", input: { file_path: ".env" } },
            { tool: "Bash", input: { command: "ls" } },
          ],
          expect: [{ in: "tools", contains: ["Read:", "StructuredOutput:"], lacks: ["Bash:", "Write:", "Agent:"] }],
        },
        {
          when,
          calls: [{ tool: "StructuredOutput", input: { ok: false, reason: "two tests fail" } }],
          expect: [{ in: "last-message", contains: ["two tests fail", "There is no tool Bash"], lacks: ["SECRET"] }],
        },
        { text: "Now they pass.", expect: [{ in: "last-message", contains: ["two tests fail"] }] },
        { when, calls: [{ tool: "StructuredOutput", input: { ok: true } }] },
      ],
    },
    { prompt: "go", settings: [JSON.stringify({ hooks })] },
  );
  expect(complaints).toEqual([]);
  expect(result).toMatchObject({ result: "Now they pass.", terminal_reason: "completed" });
  expect(requests.filter(({ purpose }) => purpose === "main")).toHaveLength(2);
  expect(payloads("PreToolUse").map((payload) => payload["tool_name"])).toEqual(["Read", "Read"]);
});

test("an agent hook's definition may ask for more tools; rules and hooks judge their calls as any other's", async () => {
  const { run, payloads, project } = open({
    files: { "a.txt": "one\n", "sub/b.txt": "" },
    hooks: { PreToolUse: {} },
    settings: { permissions: { allow: ["Bash(cd sub)", "Edit"], deny: ["Bash(rm *)"] } },
  });
  const prompt = "The tests must pass.";
  const hooks = { Stop: [{ hooks: [{ type: "agent", prompt, tools: ["Bash", "Edit", "Agent", "EnterWorktree"] }] }] };
  const when = { purpose: "agent-hook" } as const;
  const call = (tool: string, input: Record<string, unknown>) => ({ when, calls: [{ tool, input }] });
  const { complaints, result } = await run(
    [
      { text: "Done." },
      {
        ...call("Read", { file_path: join(project, "a.txt") }),
        expect: [{ in: "tools", contains: ["Read:", "Bash:", "Edit:"], lacks: ["Write:", "Agent:", "EnterWorktree:"] }],
      },
      call("Edit", { file_path: join(project, "a.txt"), old_string: "one", new_string: "two" }),
      call("Bash", { command: "cd sub" }),
      call("Bash", { command: "pwd" }),
      { ...call("Bash", { command: "rm b.txt" }), expect: [{ in: "last-message", contains: ["/sub"] }] },
      {
        ...call("StructuredOutput", { ok: true }),
        expect: [{ in: "last-message", contains: ["has been denied"] }],
      },
    ],
    { prompt: "go", settings: [JSON.stringify({ hooks })] },
  );
  expect([complaints, result.result]).toEqual([[], "Done."]);
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("two\n");
  expect(existsSync(join(project, "sub/b.txt"))).toBe(true);
  expect(payloads("PreToolUse").map(({ tool_name: name, cwd }) => [name, String(cwd).endsWith("/sub")])).toEqual([
    ["Read", false],
    ["Edit", false],
    ["Bash", false],
    ["Bash", true],
    ["Bash", true],
  ]);
});
