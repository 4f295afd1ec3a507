import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions): World {
  world = makeWorld({ settings: { permissions: { allow: ["Bash"] } }, ...options });
  return world;
}

const inAgent = { purpose: "subagent" } as const;
const agentCall = { calls: [{ tool: "Agent", input: { description: "a job", prompt: "look AROUND" } }] };
const echo = (word: string) => ({ calls: [{ tool: "Bash", input: { command: `echo ${word}` } }] });
const summary = { when: { purpose: "compaction" as const }, text: "<summary>SUMMARY TEXT</summary>" };

test("an agent that fills its window is compacted like the main conversation", async () => {
  const { run, payloads, transcript } = open({
    hooks: {
      PreCompact: { print: "keep the MARK" },
      SubagentStop: {},
      SessionStart: { matcher: "compact", print: "after compaction" },
      PostCompact: {},
    },
  });
  const { result, requests } = await run(
    [
      { ...agentCall, usage: { input: 10 } },
      { when: inAgent, ...echo("one"), usage: { input: 900 } },
      summary,
      { when: inAgent, text: "agent done", usage: { input: 20 } },
      { text: "main done" },
    ],
    { prompt: "go", compactAt: 500 },
  );
  expect(result.result).toBe("main done");
  expect(payloads().map(({ hook_event_name: event, agent_type: type }) => [event, type])).toEqual([
    ["PreCompact", undefined],
    ["SubagentStop", ""],
    ["SessionStart", undefined],
    ["PostCompact", undefined],
    ["SubagentStop", "general-purpose"],
  ]);
  expect(payloads("PreCompact")[0]).toMatchObject({ trigger: "auto", session_id: result.session_id });
  expect(requests.map(({ purpose }) => purpose)).toEqual(["main", "subagent", "compaction", "subagent", "main"]);
  expect(JSON.stringify(requests[2]?.messages.at(-1))).toContain("keep the MARK");
  const sent = JSON.stringify(requests[3]?.messages);
  expect(sent).toContain("SUMMARY TEXT");
  expect(sent).toContain("echo one");
  expect(sent).toContain("after compaction");
  expect(sent).not.toContain("look AROUND");
  expect(JSON.stringify(requests[4]?.messages)).not.toContain("SUMMARY TEXT");

  const subtypes = (lines: readonly Readonly<Record<string, unknown>>[]) => lines.map((line) => line["subtype"]);
  expect(subtypes(transcript(result.session_id))).not.toContain("compact_boundary");
  const own = readFileSync(String(payloads("SubagentStop")[1]?.["agent_transcript_path"]), "utf8");
  const lines = own
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const at = subtypes(lines).indexOf("compact_boundary");
  expect(lines[at]).toMatchObject({ parentUuid: null, isSidechain: true, compactMetadata: { trigger: "auto" } });
  expect(lines[at + 1]).toMatchObject({ isCompactSummary: true, isSidechain: true });
});

test("a hook that refuses keeps an agent's conversation as it is; a request that is too long is tried once more", async () => {
  const { run, payloads } = open({ hooks: { PreCompact: { stderr: "no", exit: 2 }, PostCompact: {} } });
  const refused = await run(
    [
      { ...agentCall, usage: { input: 10 } },
      { when: inAgent, ...echo("one"), usage: { input: 900 } },
      { when: inAgent, ...echo("two"), usage: { input: 910 } },
      { when: inAgent, text: "agent done", usage: { input: 20 } },
      { text: "main done" },
    ],
    { prompt: "go", compactAt: 500 },
  );
  expect(refused.result.result).toBe("main done");
  expect([payloads("PreCompact").length, payloads("PostCompact").length]).toEqual([1, 0]);
  expect(JSON.stringify(refused.requests[3]?.messages)).toContain("look AROUND");
  world?.remove();

  const tooLong = { error: { status: 400, message: "prompt is too long: 300000 tokens > 200000 maximum" } };
  const { result } = await open({ hooks: {} }).run(
    [agentCall, { when: inAgent, ...tooLong }, summary, { when: inAgent, text: "fits now" }, { text: "main done" }],
    { prompt: "go" },
  );
  expect(result).toMatchObject({ result: "main done", is_error: false });
});
