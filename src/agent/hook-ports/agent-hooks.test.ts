import { expect, test } from "vitest";
import { bash, on, openIn } from "../../../test/engine/world.ts";
import type { Engine } from "../../engine/internal.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../models/internal.ts";
import type { Hook } from "../../protocol/internal.ts";
import { agentWith, fired, looks, withScript } from "./fixtures/scripted-ports.ts";

const agent: Hook = { type: "agent", prompt: "The tests must pass." };
const guard = { onFailure: "block" } as const;

test("an agent hook uses its tools and then must give its verdict", async () => {
  const { ports, requests, called } = await withScript([
    looks({
      calls: [
        { tool: "Read", input: { file_path: "a" }, id: "r1" },
        { tool: "Write", input: {}, id: "w1" },
      ],
    }),
    looks({ calls: [{ tool: "Read", rawInput: "{", id: "r2" }] }),
    looks({ text: "They fail." }),
    looks({ calls: [{ tool: "StructuredOutput", input: { ok: false, reason: "2 fail" } }] }),
  ]);
  const outcome = await fired(on("Stop", agent), ports);
  expect(outcome).toMatchObject({ blocked: true, reason: expect.stringContaining("2 fail") });
  expect(outcome.runs[0]?.spent).toHaveLength(4);
  expect(called.map(({ id }) => id)).toEqual(["r1"]);
  expect(requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([undefined, undefined, undefined, "tool"]);
  expect(requests[3]?.messages.slice(2)).toEqual([
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "r1", content: "contents of a" },
        { type: "tool_result", tool_use_id: "w1", content: "There is no tool Write here.", is_error: true },
      ],
    },
    { role: "assistant", content: [{ type: "tool_use", id: "r2", name: "Read", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "r2", content: "The input is not a JSON object.", is_error: true }],
    },
    { role: "assistant", content: [{ type: "text", text: "They fail." }] },
    { role: "user", content: "Now give your verdict." },
  ]);
});

test("an agent hook's turns are limited, and in the last it must answer", async () => {
  const { ports, requests } = await withScript([
    { ...looks({ calls: [{ tool: "Read", input: { file_path: "a" } }] }), times: 4 },
  ]);
  const outcome = await fired(on("Stop", { ...agent, ...guard }), ports);
  expect(outcome.runs).toMatchObject([{ answer: { failure: expect.stringContaining("not a JSON object") } }]);
  expect(requests.map(({ toolChoice }) => toolChoice?.type)).toEqual([undefined, undefined, undefined, "tool"]);
});

test("an agent hook's tool calls fire events one level deeper, so that it cannot judge itself forever", async () => {
  const depths: string[] = [];
  const when = { purpose: "agent-hook" } as const;
  const { ports, model } = await withScript([
    {
      when: { ...when, lastMessage: "contents" },
      calls: [{ tool: "StructuredOutput", input: { ok: true } }],
      times: "any",
    },
    { when, calls: [{ tool: "Read", input: { file_path: "a" } }], times: "any" },
  ]);
  let engine: Engine | undefined;
  const callTool = async (call: ToolUseBlock): Promise<ToolResultBlock> => {
    const payload = { tool_name: call.name, tool_input: { ...call.input }, tool_use_id: call.id };
    const outcome = await engine?.fire("PreToolUse", payload);
    depths.push(...(outcome?.skipped ?? []).map(({ why }) => why));
    return { type: "tool_result", tool_use_id: call.id, content: "contents" };
  };
  const world = await openIn(on("PreToolUse", agent), { ports: { ...ports, agent: agentWith(model, callTool) } });
  engine = world.engine;
  expect(await engine.fire("PreToolUse", bash)).toMatchObject({
    decision: "none",
    runs: [{ ended: { by: "answered" } }],
  });
  expect(depths).toEqual(["recursion"]);
});

test("a cancelled agent hook stops asking and stops its tools", async () => {
  const { model } = await withScript([looks({ calls: [{ tool: "Read", input: { file_path: "a" } }] })]);
  const stopped: string[] = [];
  const callTool = (call: ToolUseBlock, _: unknown, signal: AbortSignal) =>
    new Promise<ToolResultBlock>((resolve) =>
      signal.addEventListener("abort", () => {
        stopped.push(call.name);
        resolve({ type: "tool_result", tool_use_id: call.id, content: "late", is_error: true });
      }),
    );
  const world = await openIn(on("Stop", { ...agent, timeout: 0.1 }), {
    ports: { agent: agentWith(model, callTool) },
  });
  expect((await world.engine.fire("Stop", {})).runs).toMatchObject([{ ended: { by: "timeout", afterMs: 100 } }]);
  expect(stopped).toEqual(["Read"]);
});
