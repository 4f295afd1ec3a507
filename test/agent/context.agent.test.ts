import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import { allowed, bash, expectDeclared, expectRecorded, toldIn } from "./stage.ts";

const summary = { when: { purpose: "compaction" } as const, text: "<summary>SUMMARY-MARK</summary>" };
const full = { ...bash("echo one"), usage: { input: 900 } };

test("PreCompact: its text joins the instructions; a block keeps the conversation", async () => {
  const world = openWorld({ settings: allowed, hooks: { PreCompact: { print: "HOOK-MARK" } } });
  const { requests, result } = await world.run([full, summary, { text: "ok" }], { prompt: "go", compactAt: 500 });
  await world.run([summary], { prompt: "/compact OWN-MARK", resume: result.session_id });
  for (const payload of world.payloads("PreCompact")) expectRecorded("PreCompact", payload);
  expect(world.payloads("PreCompact")).toMatchObject([
    { trigger: "auto", custom_instructions: null },
    { trigger: "manual", custom_instructions: "OWN-MARK" },
  ]);
  expect(toldIn(requests[1])).toContain("HOOK-MARK");
  const blocked = openWorld({ settings: allowed, hooks: { PreCompact: { stderr: "no", exit: 2 }, PostCompact: {} } });
  const kept = await blocked.run([full, { ...bash("true"), usage: { input: 910 } }, { text: "ok" }], {
    prompt: "go",
    compactAt: 500,
  });
  expect(kept.requests[2]?.messages[0]).toEqual({ role: "user", content: "go" });
  expect([blocked.payloads("PreCompact").length, blocked.payloads("PostCompact")]).toEqual([1, []]);
});

test("PostCompact: the summary is given, last of the events around a compaction", async () => {
  const world = openWorld({
    settings: allowed,
    hooks: { PreCompact: {}, SubagentStop: {}, SessionStart: { matcher: "compact" }, PostCompact: {} },
  });
  await world.run([full, summary, { text: "ok" }], { prompt: "go", compactAt: 500 });
  expect(world.payloads().map((payload) => payload["hook_event_name"])).toEqual([
    "PreCompact",
    "SubagentStop",
    "SessionStart",
    "PostCompact",
  ]);
  expectRecorded("PostCompact", world.payloads("PostCompact")[0]);
  expectRecorded("SubagentStop", world.payloads("SubagentStop")[0]);
  expectRecorded("SessionStart", world.payloads("SessionStart")[0]);
  expect(world.payloads("PostCompact")[0]).toMatchObject({ trigger: "auto", compact_summary: summary.text });
});

test("PreModelSwitch: a denial keeps the model", async () => {
  const world = openWorld({
    hooks: { PreModelSwitch: { matcher: "bad", stderr: "not that one", exit: 2 }, PostModelSwitch: {} },
  });
  const answers: unknown[] = [];
  const { requests } = await world.run([{ text: "ok" }], {
    onReady: async (control) => {
      answers.push(await control.setModel("bad"));
      control.prompt("go");
      control.end();
    },
  });
  expectDeclared("PreModelSwitch", world.payloads("PreModelSwitch")[0]);
  expect(answers).toEqual([{ refused: expect.stringContaining("not that one") }]);
  expect([requests[0]?.model, world.payloads("PostModelSwitch")]).toEqual(["scripted", []]);
});

test("PostModelSwitch: its context goes with the next request; fallback and resume too", async () => {
  const world = openWorld({ hooks: { PostModelSwitch: { print: "CONTEXT-MARK" } } });
  const { requests, result } = await world.run([{ text: "ok" }], {
    onReady: async (control) => {
      await control.setModel("good");
      control.prompt("go");
      control.end();
    },
  });
  expect(requests[0]?.model).toBe("good");
  expect(toldIn(requests[0])).toContain("CONTEXT-MARK");
  const overloaded = { error: { status: 529, message: "Overloaded" } };
  await world.run([overloaded, { text: "ok" }], { prompt: "go", fallbackModel: "spare" });
  await world.run([{ text: "ok" }], { prompt: "go", resume: result.session_id, modelName: "other" });
  for (const payload of world.payloads("PostModelSwitch")) expectDeclared("PostModelSwitch", payload);
  expect(world.payloads("PostModelSwitch").map(({ source, to_model: to }) => [source, to])).toEqual([
    ["sdk", "good"],
    ["auto", "spare"],
    ["resume", "other"],
  ]);
});
