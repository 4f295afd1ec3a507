import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import { expectRecorded, specific, toldIn } from "./stage.ts";

test("UserPromptExpansion: fires for a typed command; a block drops the prompt", async () => {
  const files = { ".claude/commands/foo.md": "EXPANDED $ARGUMENTS\n" };
  const world = openWorld({ files });
  const { requests } = await world.run([{ text: "ok" }], { prompt: "/foo bar" });
  expectRecorded("UserPromptExpansion", world.payloads("UserPromptExpansion")[0]);
  expect(world.payloads("UserPromptExpansion")[0]).toMatchObject({
    expansion_type: "slash_command",
    command_name: "foo",
    command_args: "bar",
    command_source: "projectSettings",
    prompt: "/foo bar",
  });
  expect(toldIn(requests[0])).toContain("EXPANDED bar");
  const blocked = openWorld({
    files,
    hooks: { UserPromptExpansion: { stderr: "not foo", exit: 2 }, UserPromptSubmit: {} },
  });
  const { result, requests: none } = await blocked.run([{ times: "any", text: "x" }], { prompt: "/foo" });
  expect([none, blocked.payloads("UserPromptSubmit")]).toEqual([[], []]);
  expect(result.result).toContain("UserPromptExpansion operation blocked by hook:");
});

test("UserPromptSubmit: gives context and title, or blocks, for every prompt and every task notification", async () => {
  const world = openWorld({
    hooks: {
      UserPromptSubmit: [
        { print: "CONTEXT-MARK" },
        { print: specific("UserPromptSubmit", { sessionTitle: "A title" }), run: "true" },
      ],
    },
  });
  const { requests, result } = await world.run(
    [
      { calls: [{ tool: "Agent", input: { description: "d", prompt: "look", run_in_background: true } }] },
      { when: { purpose: "subagent" }, delayMs: 300, text: "found" },
      { text: "waiting" },
      { when: { lastMessage: "<task-notification>" }, text: "thanks" },
    ],
    { prompt: "go" },
  );
  expect(toldIn(requests[0])).toContain("UserPromptSubmit hook success: CONTEXT-MARK");
  expect(world.transcript(result.session_id)).toContainEqual(expect.objectContaining({ customTitle: "A title" }));
  const prompts = world.payloads("UserPromptSubmit");
  expect(new Set(prompts.map(({ prompt }) => String(prompt).slice(0, 18)))).toEqual(
    new Set(["go", "<task-notification"]),
  );
  for (const payload of prompts) expectRecorded("UserPromptSubmit", payload);
  const blocked = openWorld({ hooks: { UserPromptSubmit: { stderr: "no secrets", exit: 2 } } });
  const { result: refused, requests: none } = await blocked.run([{ times: "any", text: "x" }], { prompt: "my secret" });
  expect(none).toEqual([]);
  expect(refused.result).toMatch(
    /^UserPromptSubmit operation blocked by hook:\n\[.*\]: no secrets\n\nOriginal prompt: my/,
  );
});

test("MessageDisplay: replaces the text on screen and in the result, not in the transcript", async () => {
  const world = openWorld({
    hooks: { MessageDisplay: { print: specific("MessageDisplay", { displayContent: "[shown]" }) } },
  });
  const { result, events } = await world.run([{ text: "line one\nline two" }], { prompt: "go" });
  const payloads = world.payloads("MessageDisplay");
  for (const payload of payloads) expectRecorded("MessageDisplay", payload);
  expect(payloads.map(({ delta }) => delta).join("")).toBe("line one\nline two");
  expect(payloads.map(({ final }) => final).filter((final) => final === true)).toHaveLength(1);
  const shown = events.flatMap((event) => (event.kind === "display" ? [event.text] : []));
  expect([new Set(shown), result.result]).toEqual([new Set(["[shown]"]), shown.join("")]);
  expect(JSON.stringify(world.transcript(result.session_id))).toContain("line one\\nline two");
});
