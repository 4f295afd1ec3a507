import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EventName } from "../../protocol/internal.ts";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

const allow = { permissions: { allow: ["Bash", "Read", "Write"] } };
const echo = (command: string) => [{ calls: [{ tool: "Bash", input: { command } }] }, { text: "done" }];

test("calls of one answer run side by side, each with its hooks; PostToolBatch fires once", async () => {
  const { run, payloads, project } = open({ files: { "a.txt": "hello\n" }, settings: allow });
  const calls = [
    { tool: "Bash", input: { command: "echo hi", description: "say hi" } },
    { tool: "Read", input: { file_path: join(project, "a.txt") } },
  ];
  const { result } = await run(
    [
      { thinking: "let me think", text: "I will look.", calls },
      { calls: [{ tool: "Bash", input: { command: "exit 3" } }] },
      { text: "All done." },
    ],
    { prompt: "do the thing" },
  );
  expect(result).toMatchObject({ result: "All done.", num_turns: 4, permission_denials: [] });
  expect(
    payloads()
      .map((payload) => payload["hook_event_name"])
      .filter((name) => name !== "PreToolUse" && name !== "PostToolUse"),
  ).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "MessageDisplay",
    "PostToolBatch",
    "PostToolUseFailure",
    "PostToolBatch",
    "MessageDisplay",
    "Stop",
    "SessionEnd",
  ]);
  for (const event of [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "MessageDisplay",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
  ] as const)
    expect([event, keysOf(payloads(event)[0])]).toEqual([event, keysOf(recorded(event))]);
  const [first, second] = payloads("PostToolBatch");
  expect(first?.["tool_calls"]).toMatchObject([
    { tool_name: "Bash", tool_response: "hi" },
    { tool_name: "Read", tool_response: "1\thello\n2\t" },
  ]);
  expect(second?.["tool_calls"]).toMatchObject([{ tool_name: "Bash", tool_response: "Exit code 3" }]);
});

describe("PreToolUse", () => {
  test("the reason of a denial is the tool's result, verbatim", async () => {
    const { run, project } = open({
      settings: allow,
      hooks: {
        PreToolUse: {
          print: {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "deny",
              permissionDecisionReason: "not today",
            },
          },
        },
      },
    });
    const { result, requests } = await run(echo("touch made"), { prompt: "go" });
    expect(resultsIn(requests[1])).toEqual([
      { type: "tool_result", tool_use_id: expect.any(String), content: "not today", is_error: true },
    ]);
    expect(result.permission_denials).toMatchObject([{ tool_name: "Bash", tool_input: { command: "touch made" } }]);
    expect(existsSync(join(project, "made"))).toBe(false);
  });

  test("a denial by exit 2 names the program of the hook", async () => {
    const { run } = open({ settings: allow, hooks: { PreToolUse: { stderr: "no", exit: 2 } } });
    const { requests } = await run(echo("true"), { prompt: "go" });
    expect(JSON.stringify(resultsIn(requests[1]))).toMatch(/PreToolUse:Bash hook error: \[sh .*\]: no"/);
  });

  test("the rewritten input runs, and PostToolUse gets it", async () => {
    const updatedInput = { command: "echo rewritten" };
    const { run, payloads } = open({
      settings: allow,
      hooks: {
        PreToolUse: { print: { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } } },
        PostToolUse: {},
      },
    });
    const { requests } = await run(echo("echo original"), { prompt: "go" });
    expect(payloads("PostToolUse")[0]).toMatchObject({
      tool_input: updatedInput,
      tool_response: { stdout: "rewritten" },
    });
    expect(resultsIn(requests[1])).toMatchObject([{ content: "rewritten" }]);
  });

  test("a rewrite that fails the tool's schema is a tool error", async () => {
    const { run } = open({
      settings: allow,
      hooks: {
        PreToolUse: { print: { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { nonsense: 1 } } } },
      },
    });
    const { requests } = await run(echo("true"), { prompt: "go" });
    expect(resultsIn(requests[1])).toMatchObject([
      { content: "PreToolUse hook for Bash returned updatedInput that failed schema validation", is_error: true },
    ]);
  });

  test("a deny rule beats a hook's allow, also on what a hook rewrote", async () => {
    const { run, project } = open({
      settings: { permissions: { deny: ["Bash(touch *)"] } },
      hooks: {
        PreToolUse: {
          print: {
            hookSpecificOutput: {
              hookEventName: "PreToolUse",
              permissionDecision: "allow",
              updatedInput: { command: "touch made" },
            },
          },
        },
      },
    });
    const { requests } = await run(echo("echo hi"), { prompt: "go" });
    expect(resultsIn(requests[1])).toMatchObject([{ is_error: true }]);
    expect(existsSync(join(project, "made"))).toBe(false);
  });

  test("the agent answers calls of unknown tools and invalid inputs itself; only PostToolBatch gets them", async () => {
    const { run, payloads } = open();
    const calls = [
      { tool: "Nothing", input: {} },
      { tool: "Bash", input: { wrong: 1 } },
    ];
    const { requests } = await run([{ calls }, { text: "ok" }], { prompt: "go" });
    expect(payloads("PreToolUse")).toEqual([]);
    expect(resultsIn(requests[1])).toMatchObject([{ is_error: true }, { is_error: true }]);
    expect(payloads("PostToolBatch")[0]?.["tool_calls"]).toHaveLength(2);
  });

  test("an input that is not JSON never runs, even where a tool needs none", async () => {
    const { run, payloads } = open();
    const calls = [{ tool: "TaskList", rawInput: "{not json" }];
    const { requests } = await run([{ calls }, { text: "ok" }], { prompt: "go" });
    expect(payloads("PreToolUse")).toEqual([]);
    expect(resultsIn(requests[1])).toMatchObject([
      { is_error: true, content: expect.stringContaining("not a JSON object") },
    ]);
    expect(payloads("PostToolBatch")[0]?.["tool_calls"]).toHaveLength(1);
  });

  test("continue: false lets the tool run and ends the loop after it", async () => {
    const { run, project } = open({
      settings: allow,
      hooks: { PreToolUse: { print: { continue: false, stopReason: "enough" } } },
    });
    const { result } = await run([{ calls: [{ tool: "Bash", input: { command: "touch made" } }] }], { prompt: "go" });
    expect(result).toMatchObject({
      terminal_reason: "hook_stopped",
      stop_reason: "tool_use",
      result: "",
      hook_reason: "enough",
    });
    expect(existsSync(join(project, "made"))).toBe(true);
  });

  test("defer ends the run with the call kept; a resume asks again about the same call", async () => {
    const { run, payloads } = open({
      settings: allow,
      hooks: {
        PreToolUse: { print: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" } } },
      },
    });
    const { result } = await run([{ calls: [{ tool: "Bash", input: { command: "echo x" } }] }], { prompt: "go" });
    expect(result).toMatchObject({
      terminal_reason: "tool_deferred",
      stop_reason: "tool_deferred",
      deferred_tool_use: { name: "Bash", input: { command: "echo x" } },
    });
    expect(payloads("PreToolUse")).toHaveLength(1);
  });
});

describe("after the tool", () => {
  test("PostToolUse: context and feedback reach the model, output is replaced, the transcript keeps all", async () => {
    const updatedToolOutput = { stdout: "clean", stderr: "", interrupted: false, isImage: false };
    const { run, transcript } = open({
      settings: allow,
      hooks: {
        PostToolUse: [
          {
            print: {
              hookSpecificOutput: {
                hookEventName: "PostToolUse",
                additionalContext: "mind the gap",
                updatedToolOutput,
              },
            },
          },
          { stderr: "look again", exit: 2 },
        ],
      },
    });
    const { result, requests } = await run(echo("echo secret"), { prompt: "go" });
    const sent = JSON.stringify(requests[1]?.messages);
    expect(resultsIn(requests[1])).toMatchObject([{ content: "clean" }]);
    expect(sent).toContain("PostToolUse:Bash hook additional context: mind the gap");
    expect(sent).toMatch(/PostToolUse:Bash hook blocking error from command: .*look again/);
    const types = transcript(result.session_id).flatMap(
      (line) => (line["attachment"] as { type?: string } | undefined)?.type ?? [],
    );
    expect(types).toEqual(["hook_success", "hook_additional_context", "hook_blocking_error"]);
  });

  test("an output without the tool's shape is dropped", async () => {
    const { run } = open({
      settings: allow,
      hooks: {
        PostToolUse: { print: { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "text" } } },
      },
    });
    const { requests } = await run(echo("echo kept"), { prompt: "go" });
    expect(resultsIn(requests[1])).toMatchObject([{ content: "kept" }]);
  });

  test("PostToolBatch: a block ends the loop", async () => {
    const { run } = open({ settings: allow, hooks: { PostToolBatch: { stderr: "that is enough", exit: 2 } } });
    const { result } = await run([{ calls: [{ tool: "Bash", input: { command: "true" } }] }], { prompt: "go" });
    expect(result).toMatchObject({ terminal_reason: "hook_stopped", stop_reason: "tool_use", result: "" });
  });
});

function resultsIn(request: { messages: readonly { content: unknown }[] } | undefined): unknown[] {
  const blocks = (request?.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content) ? (content as { type: string }[]) : [],
  );
  return blocks.filter(({ type }) => type === "tool_result");
}

function recorded(event: EventName): Record<string, unknown> {
  const file = new URL(`../../../test/fixtures/payloads/${event}.jsonl`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "") as Record<string, unknown>;
}

function keysOf(payload: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  return Object.keys(payload ?? {});
}
