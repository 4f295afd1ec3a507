import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import { allowed, expectRecorded, once, resultsIn, specific, toldIn } from "./stage.ts";

const inAgent = { purpose: "subagent" } as const;
const agentCall = { tool: "Agent", input: { description: "a job", prompt: "look", subagent_type: "general-purpose" } };

test("SubagentStart: its context reaches the subagent and no other thread", async () => {
  const world = openWorld({
    hooks: { SubagentStart: { print: specific("SubagentStart", { additionalContext: "CONTEXT-MARK" }) } },
  });
  const { requests } = await world.run([{ calls: [agentCall] }, { when: inAgent, text: "found" }, { text: "ok" }], {
    prompt: "go",
  });
  expectRecorded("SubagentStart", world.payloads("SubagentStart")[0]);
  expect(requests.map((request) => [request.purpose, toldIn(request).includes("CONTEXT-MARK")])).toEqual([
    ["main", false],
    ["subagent", true],
    ["main", false],
  ]);
});

test("SubagentStop: a block sends the agent back to work, eight times at most", async () => {
  const world = openWorld({
    hooks: { SubagentStop: { run: once("stopped", `echo '{"decision":"block","reason":"REASON-MARK"}'`) } },
  });
  const { requests } = await world.run(
    [{ calls: [agentCall] }, { when: inAgent, text: "first" }, { when: inAgent, text: "second" }, { text: "ok" }],
    { prompt: "go" },
  );
  for (const payload of world.payloads("SubagentStop")) expectRecorded("SubagentStop", payload);
  expect(toldIn(requests[2])).toContain("REASON-MARK");
  expect(toldIn(requests.at(-1))).toContain("second");
  const stubborn = openWorld({ hooks: { SubagentStop: { stderr: "more", exit: 2 } } });
  const capped = await stubborn.run(
    [{ calls: [agentCall] }, { when: inAgent, times: 9, text: "again" }, { text: "ok" }],
    { prompt: "go" },
  );
  expect([stubborn.payloads("SubagentStop").length, capped.result.result]).toEqual([9, "ok"]);
});

test("TeammateIdle: a block sends the teammate back to work before it waits for messages", async () => {
  const world = openWorld({
    hooks: { TeammateIdle: { run: once("idled", "echo 'tidy up first' >&2; exit 2") } },
  });
  const { requests } = await world.run(
    [
      { calls: [{ tool: "Agent", input: { ...agentCall.input, name: "mate" } }] },
      { when: { ...inAgent, lastMessage: "look" }, text: "looked" },
      { when: { ...inAgent, lastMessage: "tidy up first" }, text: "tidied" },
      { text: "waiting" },
      { when: { lastMessage: "<task-notification>" }, text: "ok" },
    ],
    { prompt: "go" },
  );
  for (const payload of world.payloads("TeammateIdle")) expectRecorded("TeammateIdle", payload);
  expect(world.payloads("TeammateIdle")).toMatchObject([{ teammate_name: "mate" }, { teammate_name: "mate" }]);
  expect(requests.filter(({ purpose }) => purpose === "subagent")).toHaveLength(2);
});

const create = { tool: "TaskCreate", input: { subject: "s", description: "d" } };
const list = { calls: [{ tool: "TaskList", input: {} }] };

test("TaskCreated: fires between PreToolUse and PostToolUse; a refused task is not created", async () => {
  const world = openWorld({ settings: allowed });
  await world.run([{ calls: [create] }, { text: "ok" }], { prompt: "go" });
  expectRecorded("TaskCreated", world.payloads("TaskCreated")[0]);
  const names = world.payloads().map((payload) => payload["hook_event_name"]);
  expect(names.slice(names.indexOf("PreToolUse"), names.indexOf("PostToolUse") + 1)).toEqual([
    "PreToolUse",
    "TaskCreated",
    "PostToolUse",
  ]);
  const refusing = openWorld({
    settings: allowed,
    hooks: { TaskCreated: { stderr: "no tasks", exit: 2 }, PostToolUseFailure: {} },
  });
  const { requests } = await refusing.run([{ calls: [create] }, list, { text: "ok" }], { prompt: "go" });
  expect(resultsIn(requests[2])).toMatchObject([
    { content: expect.stringMatching(/^TaskCreated hook feedback:\n\[.*\]: no tasks$/), is_error: true },
    { content: "No tasks found" },
  ]);
  expectRecorded("PostToolUseFailure", refusing.payloads("PostToolUseFailure")[0]);
});

test("TaskCompleted: a refused end leaves the task open without an error", async () => {
  const world = openWorld({ settings: allowed, hooks: { TaskCompleted: { stderr: "not yet", exit: 2 } } });
  const done = { calls: [{ tool: "TaskUpdate", input: { taskId: "1", status: "completed" } }] };
  const { requests } = await world.run([{ calls: [create] }, done, list, { text: "ok" }], { prompt: "go" });
  expectRecorded("TaskCompleted", world.payloads("TaskCompleted")[0]);
  const [, refused, tasks] = resultsIn(requests[3]);
  expect(refused?.content).toMatch(/^TaskCompleted hook feedback:\n\[.*\]: not yet$/);
  expect(refused?.is_error ?? false).toBe(false);
  expect(tasks).toMatchObject({ content: "#1 [pending] s" });
});
