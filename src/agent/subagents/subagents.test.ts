import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import { scripted } from "../../models/internal.ts";
import type { AgentControl } from "../agent-ports.ts";
import { openWorld } from "../fixtures/agent-run.ts";
import { agentCall, inAgent } from "./fixtures/agent-call.ts";

const allow = { permissions: { allow: ["Bash"] } };

test("a subagent works in a thread of its own and reports; hooks run for everything it does", async () => {
  const { run, payloads } = openWorld({ settings: allow });
  const { result, requests } = await run(
    [
      { calls: [agentCall({ subagent_type: "general-purpose" })] },
      { when: inAgent, calls: [{ tool: "Bash", input: { command: "echo from-agent" } }] },
      { when: inAgent, text: "sub says hi" },
      { text: "main done" },
    ],
    { prompt: "go" },
  );
  expect(result).toMatchObject({ result: "main done", num_turns: 2 });
  const names = payloads().map((payload) => payload["hook_event_name"]);
  expect(names).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "SubagentStart",
    "PreToolUse",
    "PostToolUse",
    "PostToolBatch",
    "SubagentStop",
    "PostToolUse",
    "PostToolBatch",
    "MessageDisplay",
    "Stop",
    "SessionEnd",
  ]);
  const [start] = payloads("SubagentStart");
  const [, bash] = payloads("PreToolUse");
  const [stop] = payloads("SubagentStop");
  expect(Object.keys(start ?? {})).toEqual([
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id",
    "agent_id",
    "agent_type",
    "hook_event_name",
  ]);
  expect(bash).toMatchObject({ agent_id: start?.["agent_id"], agent_type: "general-purpose", tool_name: "Bash" });
  expect(Object.keys(stop ?? {})).toEqual(keys("SubagentStop"));
  expect(stop).toMatchObject({ last_assistant_message: "sub says hi", stop_hook_active: false });
  const lines = readFileSync(String(stop?.["agent_transcript_path"]), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => [line.type, line.isSidechain, line.agentId])).toEqual(
    Array(4)
      .fill(0)
      .map((_, n) => [["user", "assistant", "user", "assistant"][n], true, start?.["agent_id"]]),
  );
  expect(
    JSON.parse(readFileSync(String(stop?.["agent_transcript_path"]).replace(".jsonl", ".meta.json"), "utf8")),
  ).toMatchObject({ agentType: "general-purpose", description: "a job", spawnDepth: 1 });
  expect(payloads("PostToolUse").at(-1)).toMatchObject({
    tool_name: "Agent",
    tool_response: {
      status: "completed",
      agentType: "general-purpose",
      content: [{ type: "text", text: "sub says hi" }],
      totalToolUseCount: 1,
    },
  });
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("sub says hi");
});

test("SubagentStart gives an agent context; SubagentStop sends it back to work", async () => {
  const { run } = openWorld({
    hooks: {
      SubagentStart: {
        print: { hookSpecificOutput: { hookEventName: "SubagentStart", additionalContext: "mind this" } },
      },
      SubagentStop: { run: `test -e stopped && exit 0; touch stopped; echo '{"decision":"block","reason":"not yet"}'` },
    },
  });
  const { requests } = await run(
    [{ calls: [agentCall({})] }, { when: inAgent, text: "first" }, { when: inAgent, text: "second" }, { text: "done" }],
    { prompt: "go" },
  );
  const ofAgent = requests
    .filter(({ purpose }) => purpose === "subagent")
    .map(({ messages }) => JSON.stringify(messages));
  expect(ofAgent[0]).toContain("SubagentStart:general-purpose hook additional context: mind this");
  expect(ofAgent[1]).toContain("SubagentStop hook feedback:\\nnot yet");
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("second");
});

test("Explore has tools that only read; an unknown type is refused by the host", async () => {
  const { run } = openWorld();
  const { requests } = await run(
    [
      { calls: [agentCall({ subagent_type: "Explore" }), agentCall({ subagent_type: "nope" })] },
      { when: { ...inAgent, agent: "Explore" }, text: "seen" },
      { text: "done" },
    ],
    { prompt: "go" },
  );
  const explore = requests.find(({ subagent: agent }) => agent === "Explore");
  expect(explore?.tools.map(({ name }) => name)).not.toContain("Bash");
  expect(explore?.tools.map(({ name }) => name)).toContain("Read");
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("Agent type 'nope' not found");
});

test("agents nest five deep and no deeper", async () => {
  const { run, payloads } = openWorld({ hooks: { SubagentStart: {} } });
  const deeper = Array.from({ length: 5 }, () => ({ when: inAgent, calls: [agentCall({})] }));
  await run(
    [
      { calls: [agentCall({})] },
      ...deeper,
      ...Array.from({ length: 5 }, () => ({ when: inAgent, text: "up" })),
      { text: "done" },
    ],
    { prompt: "go" },
  );
  expect(payloads("SubagentStart")).toHaveLength(5);
});

test("a teammate idles, is sent a message and answers; a hook sends it back to work", async () => {
  const { run, payloads, store } = openWorld({
    hooks: {
      TeammateIdle: { run: `test -e idled && exit 0; touch idled; echo 'tidy up first' >&2; exit 2` },
      SubagentStart: {},
    },
  });
  const { requests } = await run(
    [
      { calls: [agentCall({ name: "mate" })] },
      { when: { ...inAgent, lastMessage: "look" }, text: "looked" },
      { when: { ...inAgent, lastMessage: "tidy up first" }, text: "tidied" },
      { text: "waiting" },
      {
        when: { lastMessage: "<task-notification>" },
        calls: [{ tool: "SendMessage", input: { to: "mate", message: "one more" } }],
      },
      { when: { ...inAgent, lastMessage: "one more" }, text: "did that too" },
      { text: "waiting again" },
      { when: { lastMessage: "did that too" }, text: "bye" },
    ],
    { prompt: "go" },
  );
  expect(Object.keys(payloads("TeammateIdle")[0] ?? {})).toEqual(keys("TeammateIdle"));
  expect(payloads("TeammateIdle")).toHaveLength(3);
  expect(payloads("SubagentStart")[0]).toMatchObject({
    agent_type: "mate",
    agent_id: expect.stringMatching(/^amate-[0-9a-f]{16}$/),
  });
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("did that too");
  expect(store).toBeTruthy();
});

test("an interrupt kills background subagents; the model gets the notification with the next prompt", async () => {
  const { run, payloads, project } = openWorld({ settings: allow, hooks: { UserPromptSubmit: {} } });
  let control: AgentControl | undefined;
  let subagentRuns = false;
  const { requests } = await run(
    [
      {
        calls: [
          agentCall({ run_in_background: true }),
          { tool: "Bash", input: { command: "touch started; sleep 600" } },
        ],
      },
      { when: inAgent, delayMs: 600_000, text: "never" },
      { text: "I see" },
    ],
    {
      onReady: (given) => {
        control = given;
        given.prompt("go");
        const bothRun = () => subagentRuns && existsSync(join(project, "started"));
        void until("the command and the subagent run", bothRun).then(() => given.interrupt());
      },
      observe: (event) => {
        subagentRuns ||= event.kind === "task" && event.step.is === "started";
        if (event.kind !== "result" || event.result.terminal_reason !== "interrupted") return;
        control?.prompt("what happened?");
        control?.end();
      },
    },
  );
  expect(payloads("UserPromptSubmit")).toHaveLength(2);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("<status>killed</status>");
});

test.each([false, true])(
  "background commands of a subagent end with it on an interrupt: run_in_background %j",
  async (run_in_background) => {
    const { run, project } = openWorld({ settings: allow });
    const isStarted = () => existsSync(join(project, "started")) && existsSync(join(project, "waiting"));
    const background = { command: "touch started; sleep 600", run_in_background: true };
    const { requests, events } = await run(
      [
        { calls: [agentCall({ run_in_background }), { tool: "Bash", input: { command: "sleep 600" } }] },
        { when: inAgent, calls: [{ tool: "Bash", input: background }] },
        { when: inAgent, calls: [{ tool: "Bash", input: { command: "touch waiting; sleep 600" } }] },
      ],
      {
        onReady: (control) => {
          control.prompt("go");
          void until("the commands run", isStarted).then(() => {
            control.interrupt();
            control.end();
          });
        },
      },
    );
    expect(requests).toHaveLength(3);
    const results = events.flatMap((event) => (event.kind === "result" ? [event.result.terminal_reason] : []));
    expect(results).toEqual(["interrupted"]);
  },
);

test("an interrupt while a background subagent is being started keeps it from starting", async () => {
  const { run, payloads } = openWorld({ settings: allow, hooks: { SubagentStart: {} } });
  let control: AgentControl | undefined;
  const { result, requests } = await run([{ calls: [agentCall({ run_in_background: true, model: "other" })] }], {
    onReady: (given) => {
      control = given;
      given.prompt("go");
      given.end();
    },
    openModel: async () => {
      control?.interrupt();
      return scripted({ answers: [] });
    },
  });
  expect(result.terminal_reason).toBe("interrupted");
  expect([requests.length, payloads("SubagentStart")]).toEqual([1, []]);
});

test("an agent that a file of the project defines has the prompt and tools of the file", async () => {
  const { run } = openWorld({
    files: { ".claude/agents/reader.md": "---\nname: reader\ndescription: reads\ntools: Read\n---\nYou only read.\n" },
  });
  const { requests } = await run(
    [{ calls: [agentCall({ subagent_type: "reader" })] }, { when: inAgent, text: "read" }, { text: "done" }],
    { prompt: "go" },
  );
  const [, request] = requests;
  expect(request?.system[0]).toBe("You only read.");
  expect(request?.tools.map(({ name }) => name)).toEqual(["Read"]);
});

test("an agent whose model fails is a tool error and does not end the session", async () => {
  const { run } = openWorld();
  const { result, requests } = await run(
    [{ calls: [agentCall({})] }, { when: inAgent, error: { status: 400, message: "bad" } }, { text: "went on" }],
    { prompt: "go" },
  );
  expect(result.result).toBe("went on");
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("API Error: 400 bad");
});

function keys(event: string): readonly string[] {
  const file = join(import.meta.dirname, "../../../test/fixtures/payloads", `${event}.jsonl`);
  return Object.keys(JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "{}") as object);
}

test("a permission question of a subagent names the subagent", async () => {
  const { run } = openWorld({ hooks: {} });
  const askedBy: (string | undefined)[] = [];
  await run(
    [
      { calls: [agentCall({ subagent_type: "general-purpose" })] },
      { when: inAgent, calls: [{ tool: "Bash", input: { command: "touch x" } }] },
      { when: inAgent, text: "denied" },
      { calls: [{ tool: "Bash", input: { command: "touch y" } }] },
      { text: "done" },
    ],
    {
      prompt: "go",
      user: {
        permission: async ({ subagentType }) => {
          askedBy.push(subagentType);
          return { behavior: "deny" };
        },
      },
    },
  );
  expect(askedBy).toEqual(["general-purpose", undefined]);
});

test("the line about a failed model call of a subagent names the subagent", async () => {
  const { run } = openWorld({ hooks: {} });
  const { events } = await run(
    [
      { calls: [agentCall({ subagent_type: "general-purpose" })] },
      { when: inAgent, error: { status: 401, message: "no" } },
      { text: "main done" },
    ],
    { prompt: "go" },
  );
  const failed = events.filter((event) => event.kind === "assistant" && event.failure !== undefined);
  expect(failed).toMatchObject([{ agent: { type: "general-purpose" }, parentToolUseId: expect.any(String) }]);
});
