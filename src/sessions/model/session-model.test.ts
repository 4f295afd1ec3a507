import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeSession } from "../fixtures/describe.ts";
import {
  answer,
  attachment,
  prompt,
  recorded,
  result,
  sidechain,
  system,
  toolUse,
  type Wire,
  write,
} from "../fixtures/transcript.ts";
import { sessionContentReader } from "../read/session-content.ts";
import { sessionAt } from "../session.ts";
import type { SessionModel } from "./session-model.ts";
import { modelOf } from "./session-model.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-model-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const place = (id = "s1") => ({
  id,
  root: { path: folder, origin: "client" } as const,
  project: "p",
  folder,
  file: join(folder, `${id}.jsonl`),
});

async function load(
  lines: readonly (Wire | string)[],
  more: Record<string, readonly Wire[] | Wire> = {},
): Promise<SessionModel> {
  write(join(folder, "s1.jsonl"), lines);
  for (const [path, content] of Object.entries(more)) {
    if (Array.isArray(content)) write(join(folder, path), content as Wire[]);
    else write(join(folder, path), [content as Wire]);
  }
  return sessionAt(place()).load();
}

describe("calls", () => {
  test("lines of one message id are one call, wherever they are; the final line's usage counts once", async () => {
    const p = prompt(null, "go");
    const interim = { input_tokens: 100, output_tokens: 1 };
    const final = { input_tokens: 100, output_tokens: 50 };
    const a1 = answer(p, [{ type: "thinking", thinking: "hm" }], { id: "m1", stop: null, usage: interim });
    const a2 = answer(a1, [toolUse("t1")], { id: "m1", stop: "tool_use", usage: final });
    const r1 = result(a2, "t1");
    const a3 = answer(a2, [toolUse("t2")], { id: "m1", stop: null, usage: interim });
    const model = await load([p, a1, a2, r1, a3]);
    const [call, ...others] = model.main.calls;
    expect(others).toEqual([]);
    expect(call).toMatchObject({ key: "m1", stopReason: "tool_use", timestamp: a1["timestamp"], conflict: false });
    expect(call?.lines.map(({ line }) => line)).toEqual([2, 3, 5]);
    expect(call?.content.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
    expect(call?.usage().tokens).toMatchObject({ input: 100, output: 50 });
  });

  test("blocks are ordered by apiBlockIndex where every line has one", async () => {
    const p = prompt(null, "go");
    const second = answer(p, "second", { id: "m1" }, { apiBlockIndex: 1 });
    const first = answer(second, "first", { id: "m1" }, { apiBlockIndex: 0 });
    const { main } = await load([p, second, first]);
    expect(main.calls[0]?.content).toEqual([
      { type: "text", text: "first" },
      { type: "text", text: "second" },
    ]);
  });

  test("synthetic answers are API errors or fillers, not calls", async () => {
    const p = prompt(null, "go");
    const error = answer(p, "API Error", { model: "<synthetic>" }, { isApiErrorMessage: true });
    const filler = answer(error, "No response requested.", { model: "<synthetic>" });
    const { main } = await load([p, error, filler]);
    expect([main.calls.length, main.apiErrors.length, main.fillers.length]).toEqual([0, 1, 1]);
  });

  test("answers with one id are separate calls when both request id and counts differ", async () => {
    const p = prompt(null, "go");
    const a = answer(p, "one", { id: "same", usage: { input_tokens: 10, output_tokens: 1 } }, { requestId: "r1" });
    const b = answer(a, "two", { id: "same", usage: { input_tokens: 20, output_tokens: 1 } }, { requestId: "r2" });
    expect((await load([p, a, b])).main.calls.length).toBe(2);
    const c = answer(a, "two", { id: "same", usage: { input_tokens: 10, output_tokens: 1 } }, { requestId: "r2" });
    expect((await load([p, a, c])).main.calls.length).toBe(1);
    const d = answer(a, "two", { id: "same", usage: { input_tokens: 20, output_tokens: 5 } }, { requestId: "r1" });
    const [call, ...more] = (await load([p, a, d])).main.calls;
    expect([more, call?.conflict, call?.usage().tokens.input]).toEqual([[], true, 20]);
    const zero = answer(a, "one", { id: "same", usage: { input_tokens: 0, output_tokens: 0 } }, { requestId: "r9" });
    expect((await load([p, a, zero])).main.calls[0]?.usage().tokens.input).toBe(10);
  });

  test("an answer that is only in a progress line of an older version is a call of the session", async () => {
    const p = prompt(null, "go");
    const copy = answer(null, "inside", { id: "m9", usage: { input_tokens: 7, output_tokens: 3 } });
    const line = (message: Wire) => ({
      ...system(p, "x"),
      type: "progress",
      subtype: undefined,
      data: { type: "agent_progress", message },
    });
    const seen = answer(p, "main", { id: "m1" });
    const model = await load([p, line(copy), seen, line(answer(null, "again", { id: "m1" }))]);
    expect(model.calls.map(({ call }) => [call.key, call.usage().tokens.input])).toEqual([
      ["m1", 100],
      ["m9", 7],
    ]);
    expect(model.main.graph.nodes.length).toBe(4);
  });
});

describe("tool calls", () => {
  test("a tool call has the status that its lines show, for every status", async () => {
    const p = prompt(null, "go");
    const ids = ["ok", "error", "denied1", "denied2", "interrupted1", "background", "deferred", "open"];
    const uses = answer(
      p,
      ids.map((id) => toolUse(id)),
      { id: "m1", stop: "tool_use" },
    );
    const lines = [
      p,
      uses,
      result(uses, "ok"),
      result(uses, "error", "no", { toolUseResult: "Error: no" }, { is_error: true }),
      result(uses, "denied1", "no", { toolDenialKind: "user" }, { is_error: true }),
      result(uses, "denied2", "no", {}, { is_error: true }),
      attachment(uses, { type: "hook_permission_decision", decision: "deny", toolUseID: "denied2" }),
      result(uses, "interrupted1", "x", { toolUseResult: { interrupted: true } }),
      result(uses, "background", "started", {
        toolUseResult: { isAsync: true, status: "async_launched", agentId: "a1" },
      }),
      attachment(uses, { type: "hook_deferred_tool", toolUseID: "deferred" }),
    ];
    const model = await load(lines);
    expect(Object.fromEntries(model.toolCalls.map(({ id, status }) => [id, status]))).toEqual({
      ok: "ok",
      error: "error",
      denied1: "denied",
      denied2: "denied",
      interrupted1: "interrupted",
      background: "background",
      deferred: "deferred",
      open: "open",
    });
    expect(model.toolCall("denied2")?.hooks).toMatchObject([{ type: "hook_permission_decision" }]);
    expect(model.toolCall("error")).toMatchObject({
      isError: true,
      structured: "Error: no",
      output: [{ type: "text", text: "no" }],
    });
  });

  test("an interrupt line after the result, or instead of one, makes the call interrupted", async () => {
    const p = prompt(null, "go");
    const uses = answer(p, [toolUse("t1"), toolUse("t2"), toolUse("t3")], { id: "m1", stop: "tool_use" });
    const rejected = result(uses, "t1", "rejected", {}, { is_error: true });
    const done = result(uses, "t2");
    const interrupt = prompt(done, "[Request interrupted by user for tool use]");
    const later = answer(interrupt, [toolUse("t4")], { id: "m2", stop: "tool_use" });
    const failed = result(later, "t4", "no", {}, { is_error: true });
    const { toolCalls } = await load([p, uses, rejected, done, interrupt, later, failed]);
    expect(toolCalls.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "t1 interrupted",
      "t2 ok",
      "t3 interrupted",
      "t4 error",
    ]);
  });

  test("a result in an agent's file answers a call of the main one; a result without a call is reported", async () => {
    const p = prompt(null, "go");
    const use = answer(p, [toolUse("t1")], { stop: "tool_use" });
    const inAgent = sidechain("a1", result(use, "t1"));
    const model = await load([p, use, result(use, "nobody")], { "s1/subagents/agent-a1.jsonl": [inAgent] });
    expect(model.toolCall("t1")?.status).toBe("ok");
    expect(model.findings).toMatchObject([{ what: "parent-missing" }, { what: "lone-result", line: 3 }]);
  });
});

describe("branches", () => {
  test("parallel results and hook records make no branch, and no result is lost", async () => {
    const p = prompt(null, "go");
    const a1 = answer(p, [toolUse("t1")], { id: "m1", stop: "tool_use" });
    const a2 = answer(a1, [toolUse("t2")], { id: "m1", stop: "tool_use" });
    const hook = attachment(a1, { type: "hook_success", toolUseID: "t1" });
    const r2 = result(a2, "t2");
    const r1 = result(a1, "t1");
    const next = answer(r2, "done", { id: "m2" });
    const { main } = await load([p, a1, a2, hook, r2, r1, next]);
    expect(main.branches.points).toEqual([]);
    expect(main.history().length).toBe(7);
    expect(main.toolCalls.map(({ status }) => status)).toEqual(["ok", "ok"]);
  });

  test("a rewind and a retry are branch points, each of its kind", async () => {
    const p = prompt(null, "go");
    const a = answer(p, "one", { id: "m1" });
    const old = prompt(a, "old way");
    const oldAnswer = answer(old, "old", { id: "m2" });
    const next = prompt(a, "new way");
    const first = answer(next, "try", { id: "m3" });
    const second = answer(next, "try again", { id: "m4" });
    const { main } = await load([
      p,
      a,
      old,
      oldAnswer,
      next,
      first,
      second,
      { type: "summary", summary: "the old way", leafUuid: oldAnswer["uuid"] },
    ]);
    expect(main.branches.points.map(({ at, kind, alternatives }) => [at?.uuid, kind, alternatives])).toEqual([
      [a["uuid"], "rewind", 2],
      [next["uuid"], "retry", 2],
    ]);
    expect(main.branches.list()).toEqual([
      { leaf: second["uuid"], active: true, size: 4 },
      { leaf: first["uuid"], active: false, forkPoint: next["uuid"], kind: "retry", size: 1 },
      { leaf: oldAnswer["uuid"], active: false, forkPoint: a["uuid"], kind: "rewind", size: 2, summary: "the old way" },
    ]);
    expect(main.history().map(({ line }) => line)).toEqual([1, 2, 5, 7]);
    expect(main.history(oldAnswer["uuid"] as string).map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(main.turns().turns.map(({ start }) => start.line)).toEqual([1, 5]);
    expect(main.turns("all").turns.length).toBe(3);
  });

  test("a first prompt that was written again is a rewind with no fork point", async () => {
    const one = prompt(null, "one");
    const a = answer(one, "a");
    const two = prompt(null, "two");
    const b = answer(two, "b");
    const { main } = await load([one, a, two, b]);
    expect(main.branches.points).toEqual([{ at: null, kind: "rewind", alternatives: 2 }]);
    expect(main.branches.list()).toMatchObject([{ leaf: b["uuid"] }, { leaf: a["uuid"], forkPoint: null, size: 2 }]);
  });

  test("a later last-prompt names the leaf, unless only attachments and system lines hang below it", async () => {
    const p = prompt(null, "go");
    const a = answer(p, "one");
    const q = prompt(a, "more");
    const b = answer(q, "two");
    const back = { type: "last-prompt", lastPrompt: "go", leafUuid: a["uuid"], sessionId: "s1" };
    const { main } = await load([p, a, q, b, back]);
    expect(main.branches.leaf).toBe(a["uuid"]);
    expect(main.history().map(({ line }) => line)).toEqual([1, 2]);
    const trimmings = [attachment(b, { type: "task_reminder" }), system(b, "turn_duration")];
    const named = { type: "last-prompt", leafUuid: b["uuid"], sessionId: "s1" };
    const kept = await load([p, a, q, b, ...trimmings, named]);
    expect(kept.main.branches.leaf).toBe(trimmings[1]?.["uuid"]);
    const early = await load([p, a, back, q, b]);
    expect(early.main.branches.leaf).toBe(b["uuid"]);
    const unknown = await load([p, a, { ...back, leafUuid: "nowhere" }]);
    expect(unknown.main.branches.leaf).toBe(a["uuid"]);
  });

  test("of two lines with one uuid the later counts, both are kept, and it is reported", async () => {
    const p = prompt(null, "go");
    const a = answer(p, [toolUse("t1")], { id: "m1", stop: "tool_use" });
    const again = { ...a, message: { ...(a["message"] as Wire), content: [{ type: "text", text: "later" }] } };
    const model = await load([p, a, again]);
    expect(model.main.entries.length).toBe(3);
    expect(model.byUuid(a["uuid"] as string)?.line).toBe(3);
    expect(model.main.calls[0]?.content).toEqual([{ type: "text", text: "later" }]);
    expect(model.main.history().map(({ line }) => line)).toEqual([1, 3]);
    expect(model.findings).toMatchObject([{ what: "duplicate-uuid", line: 3 }]);
  });

  test("a missing parent and a ring of parents are reported, and every line stays in the history", async () => {
    const p = prompt(null, "go");
    const lost = answer({ uuid: "nowhere" }, "lost");
    const [x, y] = [prompt(null, "x"), prompt(null, "y")];
    const ring = [
      { ...x, parentUuid: y["uuid"] },
      { ...y, parentUuid: x["uuid"] },
    ];
    const self = { ...prompt(null, "self"), uuid: "self", parentUuid: "self" };
    const model = await load([p, lost, ...ring, self]);
    expect(model.findings.map(({ what, line }) => `${what} ${line}`).sort()).toEqual([
      "parent-cycle 4",
      "parent-cycle 5",
      "parent-missing 2",
    ]);
    expect(model.main.turns("all").turns.length).toBe(4);
    expect(model.main.branches.list().length).toBeGreaterThan(0);
  });
});

describe("turns", () => {
  test("each kind of prompt begins a turn, no other line does, and each turn has the way it ended", async () => {
    const p1 = prompt(null, "one");
    const a1 = answer(p1, "fine");
    const feedback = prompt(a1, "Stop hook feedback:\nmore", { isMeta: true });
    const a2 = answer(feedback, "fine again");
    const took = system(a2, "turn_duration", { durationMs: 1234 });
    const note = prompt(took, "<task-notification>x", { origin: { kind: "task-notification" } });
    const a3 = answer(note, [toolUse("t1")], { stop: "tool_use" });
    const r3 = result(a3, "t1", "no", {}, { is_error: true });
    const stop = prompt(r3, "[Request interrupted by user]");
    const mate = prompt(stop, '<teammate-message teammate_id="x">hi');
    const failed = answer(mate, "API Error", { model: "<synthetic>" }, { isApiErrorMessage: true });
    const local = prompt(failed, "<command-name>/compact</command-name>");
    const out = prompt(local, "<local-command-stdout>done");
    const command = prompt(out, "<command-message>foo</command-message>\n<command-name>/foo</command-name>");
    const expansion = prompt(command, "expanded", { isMeta: true });
    const a4 = answer(expansion, [toolUse("t2")], { stop: "tool_use" });
    const wait = attachment(a4, { type: "hook_deferred_tool", toolUseID: "t2" });
    const p5 = prompt(wait, "five");
    const queued = attachment(p5, { type: "queued_command", prompt: "more" });
    const { main } = await load([
      p1,
      a1,
      feedback,
      a2,
      took,
      note,
      a3,
      r3,
      stop,
      mate,
      failed,
      local,
      out,
      command,
      expansion,
      a4,
      wait,
      p5,
      queued,
    ]);
    const { turns, localCommands } = main.turns();
    expect(turns.map(({ number, start, ended }) => [number, start.role, ended])).toEqual([
      [1, "prompt", "answered"],
      [2, "notification", "interrupted"],
      [3, "teammate", "api-error"],
      [4, "command", "deferred"],
      [5, "prompt", "open"],
    ]);
    expect(turns[0]).toMatchObject({ stopFeedback: 1, durationMs: 1234, durationFrom: "record" });
    expect(turns[1]).toMatchObject({
      durationMs: 3000,
      durationFrom: "timestamps",
      startedAt: note["timestamp"],
      endedAt: stop["timestamp"],
    });
    expect(localCommands.map(({ name, entry }) => [name, entry.line])).toEqual([["/compact", 12]]);
  });

  test("times that run backwards never make a duration negative or move a line", async () => {
    const p = prompt(null, "go", { timestamp: "2026-01-01T00:01:00.000Z" });
    const a = answer(p, "fine", {}, { timestamp: "2026-01-01T00:00:00.000Z" });
    const { main } = await load([p, a]);
    expect(main.turns().turns[0]).toMatchObject({ durationMs: 0, startedAt: p["timestamp"], endedAt: p["timestamp"] });
    expect(main.branches.leaf).toBe(a["uuid"]);
  });
});

describe("compaction", () => {
  const metadata = (more: Wire) => ({ compactMetadata: { trigger: "auto", preTokens: 100, postTokens: 30, ...more } });

  test("the boundary joins the old tree; context is summary, preserved lines, and all after", async () => {
    const p = prompt(null, "go");
    const a = answer(p, "kept");
    const preserved = { anchorUuid: "s", uuids: [a["uuid"]] };
    const boundary = system(null, "compact_boundary", {
      logicalParentUuid: a["uuid"],
      ...metadata({ preservedMessages: preserved }),
    });
    const summary = prompt(boundary, "the story so far", { isCompactSummary: true });
    const q = prompt(summary, "next");
    const { main } = await load([p, a, boundary, summary, q]);
    expect(main.branches.points).toEqual([]);
    expect(main.history().map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
    expect(main.context().map(({ line }) => line)).toEqual([4, 2, 5]);
    expect(main.compactions).toMatchObject([
      { trigger: "auto", preTokens: 100, postTokens: 30, droppedTokens: 70, joinedBy: "logical", summary: { line: 4 } },
    ]);
    expect(main.turns().turns.length).toBe(2);
  });

  test("a compaction whose logical parent is missing is joined to the preserved tail, else to the line before", async () => {
    const p = prompt(null, "go");
    const a = answer(p, "kept");
    const b = answer(a, "last", { id: "m2" });
    const boundary = (segment: Wire) =>
      system(null, "compact_boundary", { logicalParentUuid: "nowhere", ...metadata({ preservedSegment: segment }) });
    const tail = boundary({ headUuid: p["uuid"], tailUuid: a["uuid"] });
    const one = await load([p, a, b, tail, prompt(tail, "sum", { isCompactSummary: true })]);
    expect(one.main.compactions.map(({ joinedBy }) => joinedBy)).toEqual(["preserved"]);
    expect(one.main.context().map(({ line }) => line)).toEqual([5, 1, 2]);
    expect(one.findings.map(({ what }) => what)).toEqual(["logical-parent-missing"]);
    const two = await load([p, a, b, boundary({ tailUuid: "nowhere either" })]);
    expect(two.main.compactions.map(({ joinedBy }) => joinedBy)).toEqual(["position"]);
    expect(two.main.history().length).toBe(4);
  });

  test("in a fork of a compacted session the preserved lines follow the summary, once", async () => {
    const boundary = system(null, "compact_boundary", { logicalParentUuid: "gone", ...metadata({}) });
    const summary = prompt(boundary, "sum", { isCompactSummary: true });
    const kept = answer(summary, "kept", { id: "m1", usage: { input_tokens: 0, output_tokens: 0 } });
    const forked = { ...boundary, ...metadata({ preservedMessages: { uuids: [kept["uuid"]] } }) };
    const { main } = await load([forked, summary, kept, prompt(kept, "on")]);
    expect(main.context().map(({ line }) => line)).toEqual([2, 3, 4]);
  });
});

describe("agents", () => {
  const thread = (id: string, text: string, more: Wire[] = []) => {
    const p = sidechain(id, prompt(null, text));
    return [p, sidechain(id, answer(p, `${id} done`)), ...more];
  };

  test("an agent is linked in every known way, in a fixed order, and nested to any depth", async () => {
    const p = prompt(null, "go");
    const start = (id: string, input: Wire = {}) => toolUse(id, "Agent", input);
    const uses = answer(
      p,
      [
        start("t1"),
        start("t2"),
        start("t3"),
        toolUse("t4", "Workflow", {}),
        start("t5", { name: "scout" }),
        start("t6", { prompt: "old words" }),
        start("t7", { prompt: "old words" }),
      ],
      { stop: "tool_use" },
    );
    const lines = [
      p,
      uses,
      result(uses, "t2", "x", { toolUseResult: { agentId: "a2" } }),
      {
        type: "queue-operation",
        operation: "enqueue",
        sessionId: "s1",
        content:
          "<task-notification>\n<task-id>a3</task-id>\n<tool-use-id>t3</tool-use-id>\n<status>completed</status></task-notification>",
      },
      result(uses, "t4", "Workflow started", { toolUseResult: { runId: "wf_9" } }),
    ];
    const nested = sidechain("a1", answer(null, [start("n1")], { id: "mn", stop: "tool_use" }));
    const deep = sidechain("n1", answer(null, [start("d1")], { id: "md", stop: "tool_use" }));
    const model = await load(lines, {
      "s1/subagents/agent-a1.jsonl": thread("a1", "one", [nested]),
      "s1/subagents/agent-a1.meta.json": { toolUseId: "t1" },
      "s1/subagents/agent-n1.jsonl": thread("n1", "nested", [deep]),
      "s1/subagents/agent-n1.meta.json": { toolUseId: "n1" },
      "s1/subagents/agent-d1.jsonl": thread("d1", "deep"),
      "s1/subagents/agent-d1.meta.json": { toolUseId: "d1" },
      "s1/subagents/agent-a2.jsonl": thread("a2", "two"),
      "s1/subagents/agent-a3.jsonl": thread("a3", "three"),
      "s1/subagents/agent-child.jsonl": thread("child", "child"),
      "s1/subagents/agent-child.meta.json": { parentAgentId: "a2" },
      "s1/subagents/workflows/wf_9/agent-w1.jsonl": thread("w1", "flow"),
      "s1/subagents/agent-ascout-0123456789abcdef.jsonl": thread("ascout-0123456789abcdef", "mate"),
      "s1/subagents/agent-ascout-0123456789abcdef.meta.json": { name: "scout", taskKind: "in_process_teammate" },
      "s1/subagents/agent-o1.jsonl": thread("o1", "old words"),
      "s1/subagents/agent-o2.jsonl": thread("o2", "old words"),
      "s1/subagents/agent-none.jsonl": thread("none", "whose am I"),
    });
    const seen = model.agents.map(({ id, linkedBy, toolCall, parentId, depth }) => [
      id,
      linkedBy,
      toolCall?.id,
      parentId,
      depth,
    ]);
    expect(seen.sort()).toEqual(
      [
        ["a1", "meta", "t1", undefined, 1],
        ["n1", "meta", "n1", "a1", 2],
        ["d1", "meta", "d1", "n1", 3],
        ["a2", "result", "t2", undefined, 1],
        ["a3", "notification", "t3", undefined, 1],
        ["child", "parent", undefined, "a2", 2],
        ["w1", "workflow", "t4", undefined, 1],
        ["ascout-0123456789abcdef", "name", "t5", undefined, 1],
        ["o1", "prompt", "t6", undefined, 1],
        ["o2", "prompt", "t7", undefined, 1],
        ["none", "none", undefined, undefined, 1],
      ].sort(),
    );
    expect(model.agent("a1")?.children.map(({ id }) => id)).toEqual(["n1"]);
  });

  test("agents that are each other's parents are cut apart and reported", async () => {
    const p = prompt(null, "go");
    const model = await load([p], {
      "s1/subagents/agent-x.jsonl": thread("x", "x"),
      "s1/subagents/agent-x.meta.json": { parentAgentId: "y" },
      "s1/subagents/agent-y.jsonl": thread("y", "y"),
      "s1/subagents/agent-y.meta.json": { parentAgentId: "x" },
    });
    expect(model.agents.map(({ id, parentId, depth }) => [id, parentId, depth])).toEqual([
      ["x", undefined, 1],
      ["y", "x", 2],
    ]);
    expect(model.findings).toMatchObject([{ what: "agent-cycle", about: "x" }]);
  });

  test("an unreadable meta never hides its agent", async () => {
    write(join(folder, "s1/subagents/agent-x.meta.json"), ["{half"]);
    const model = await load([prompt(null, "go")], { "s1/subagents/agent-x.jsonl": thread("x", "x") });
    expect(model.agents).toMatchObject([{ id: "x", linkedBy: "none" }]);
  });

  test("a copied call finds its agent in the session it was copied from", async () => {
    const p = prompt(null, "go");
    const use = answer(p, [toolUse("t1", "Agent", {})], { stop: "tool_use" });
    const done = result(use, "t1", "x", { toolUseResult: { agentId: "a1" } });
    write(join(folder, "s0.jsonl"), [p, use, done]);
    const model = await load([p, use, done], {
      "s0/subagents/agent-a1.jsonl": thread("a1", "one"),
      "s0/subagents/agent-a1.meta.json": { toolUseId: "t1" },
    });
    expect(model.agents).toMatchObject([{ id: "a1", linkedBy: "meta", borrowedFrom: "s0", toolCall: { id: "t1" } }]);
    const own = await load([p, use, done], { "s1/subagents/agent-a1.jsonl": thread("a1", "one") });
    expect(own.agents.map(({ borrowedFrom }) => borrowedFrom)).toEqual([undefined]);
  });

  test("sidechain lines inside the main file become agents of their own", async () => {
    const p = prompt(null, "go");
    const use = answer(p, [toolUse("t1", "Task", { prompt: "look around" })], { stop: "tool_use" });
    const side = (line: Wire): Wire => ({ ...line, isSidechain: true });
    const s1 = side(prompt(null, "look around"));
    const s2 = side(answer(s1, "found it", { id: "ms" }));
    const other = side(prompt(null, "elsewhere"));
    const done = result(use, "t1");
    const model = await load([p, use, s1, s2, other, done, answer(done, "ok")]);
    expect(model.main.graph.nodes.map(({ line }) => line)).toEqual([1, 2, 6, 7]);
    expect(
      model.agents.map(({ id, inline, linkedBy, thread: { calls } }) => [id, inline, linkedBy, calls.length]),
    ).toEqual([
      [s1["uuid"], true, "prompt", 1],
      [other["uuid"], true, "none", 0],
    ]);
  });

  test("the last report ends a background agent's call; the launch does not", async () => {
    const p = prompt(null, "go");
    const use = answer(p, [toolUse("t1", "Agent", {})], { stop: "tool_use" });
    const launch = result(use, "t1", "started", {
      toolUseResult: { isAsync: true, status: "async_launched", agentId: "a1" },
    });
    const report = (status: string, timestamp: string) => ({
      type: "queue-operation",
      operation: "enqueue",
      timestamp,
      sessionId: "s1",
      content: `<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>${status}</status>\n<result>said </result> inside</result></task-notification>`,
    });
    const model = await load([p, use, launch, report("completed", "T1"), report("failed", "T2")], {
      "s1/subagents/agent-a1.jsonl": thread("a1", "bg"),
    });
    expect(model.toolCall("t1")).toMatchObject({
      status: "error",
      background: true,
      endedAt: "T2",
      report: { status: "failed", result: "said </result> inside" },
    });
    expect(model.agents).toMatchObject([{ background: true, report: { status: "failed" } }]);
    const killed = await load([p, use, launch, report("killed", "T1")]);
    expect(killed.toolCall("t1")?.status).toBe("interrupted");
  });
});

test("indexes find entries, children, calls, tool calls and agents of every file", async () => {
  const p = prompt(null, "go");
  const use = answer(p, [toolUse("t1", "Agent", {})], { id: "m1", stop: "tool_use" });
  const side = sidechain("a1", prompt(null, "in"));
  const inside = sidechain("a1", answer(side, "x", { id: "m2" }));
  const model = await load([p, use], { "s1/subagents/agent-a1.jsonl": [side, inside] });
  expect(model.byUuid(inside["uuid"] as string)?.line).toBe(2);
  expect(model.childrenOf(side["uuid"] as string).map(({ uuid }) => uuid)).toEqual([inside["uuid"]]);
  expect(model.childrenOf(p["uuid"] as string).map(({ uuid }) => uuid)).toEqual([use["uuid"]]);
  expect([model.call("m1")?.lines.length, model.call("m2")?.lines.length]).toEqual([1, 1]);
  expect([model.toolCall("t1")?.name, model.agent("a1")?.id]).toEqual(["Agent", "a1"]);
  expect([model.byUuid("x"), model.childrenOf("x"), model.call("x"), model.toolCall("x"), model.agent("x")]).toEqual([
    undefined,
    [],
    undefined,
    undefined,
    undefined,
  ]);
});

test("a session id in the records that is not the file's name is reported; ancestors are kept", async () => {
  const model = await load([prompt(null, "go", { sessionId: "other", session_id: "ancestor" })]);
  expect(model.findings).toMatchObject([{ what: "session-id-mixed", about: "other", line: 1 }]);
  expect(model.main.entries[0]?.ancestorSessionId).toBe("ancestor");
});

test("the order in which files are read does not change the model", async () => {
  const id = "501a101c-7ecf-4bd9-a106-13be7d54c3a1";
  const at = join(recorded, "b-subagent");
  const { content } = await sessionContentReader({
    ...place(id),
    folder: at,
    file: join(at, `${id}.jsonl`),
    root: { path: recorded, origin: "client" },
  })();
  const sorted = describeSession(modelOf(content));
  fc.assert(
    fc.property(fc.shuffledSubarray([...content.agents], { minLength: content.agents.length }), (agents) => {
      expect(describeSession(modelOf({ ...content, agents }))).toBe(sorted);
    }),
    { numRuns: 20 },
  );
});
