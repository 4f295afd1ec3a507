import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../fixtures/agent-run.ts";

/** One valid input for every tool there is; a tool without one fails the test. */
function inputs(project: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const file_path = join(project, "f.txt");
  return {
    Bash: { command: "touch ran" },
    Read: { file_path },
    Write: { file_path: join(project, "ran"), content: "x" },
    Edit: { file_path, old_string: "x", new_string: "y" },
    Glob: { pattern: "*" },
    Grep: { pattern: "x" },
    WebFetch: { url: "http://127.0.0.1:9/", prompt: "p" },
    TaskCreate: { subject: "s", description: "d" },
    TaskUpdate: { taskId: "1", status: "completed" },
    TaskList: {},
    TaskGet: { taskId: "1" },
    EnterWorktree: { name: "ran" },
    ExitWorktree: { action: "keep" },
    Agent: { description: "d", prompt: "p" },
    SendMessage: { to: "nobody", message: "m" },
    mcp__srv__do_thing: { q: "x" },
  };
}

test("a hook that denies stops every tool", async () => {
  const deny = {
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "DENIED" },
  };
  const world = makeWorld({
    files: { "f.txt": "x\n" },
    hooks: { PreToolUse: { print: deny }, PostToolUse: {}, PostToolUseFailure: {} },
  });
  const { run, project, payloads } = world;
  const server = { command: process.execPath, args: [join(import.meta.dirname, "../mcp/fixtures/stdio-server.mjs")] };
  const options = {
    permissionMode: "bypassPermissions",
    webFetch: true,
    mcpConfig: [JSON.stringify({ mcpServers: { srv: server } })],
  } as const;
  const first = await run([{ text: "x" }], { prompt: "go", ...options });
  const names = (first.requests[0]?.tools ?? [])
    .map(({ name }) => name)
    .filter((name) => !/^mcp__srv__(?!do_thing)/.test(name));
  const known = inputs(project);
  expect(names.filter((name) => known[name] === undefined)).toEqual([]);
  // Inputs that the host itself refuses never reach a hook; nothing else may be missing.
  const calls = names.map((tool) => ({ tool, input: known[tool] ?? {} }));
  const { requests, result } = await run([{ calls }, { text: "done" }], { prompt: "go", ...options });
  const results = (requests[1]?.messages ?? [])
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === "tool_result");
  const texts = Object.fromEntries(
    calls.map(({ tool }, index) => [tool, (results[index] as { content?: unknown } | undefined)?.content]),
  );
  const byHost = Object.entries(texts).filter(([, content]) => content !== "DENIED");
  expect(byHost.map(([tool]) => tool).sort()).toEqual(
    ["Edit", "ExitWorktree"].filter((tool) => byHost.some(([name]) => name === tool)),
  );
  for (const [, content] of byHost) expect(String(content)).toContain("<tool_use_error>");
  expect(result.permission_denials).toHaveLength(calls.length - byHost.length);
  expect([...payloads("PostToolUse"), ...payloads("PostToolUseFailure")]).toEqual([]);
  expect(readdirSync(project)).toEqual(["f.txt"]);
  expect(readFileSync(join(project, "f.txt"), "utf8")).toBe("x\n");
  world.remove();
});
