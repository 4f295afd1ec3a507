import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import { allowed, bash, expectRecorded, heard, once, resultsIn, toldIn, untilRecorded } from "./stage.ts";

test("Setup: fires before SessionStart, and what it writes to its env file reaches Bash", async () => {
  const world = openWorld({
    settings: allowed,
    hooks: { Setup: { run: `echo 'export FROM_SETUP=yes' >> "$CLAUDE_ENV_FILE"` }, SessionStart: {} },
  });
  const { requests, result } = await world.run([bash("echo $FROM_SETUP"), { text: "ok" }], {
    prompt: "go",
    setup: "init",
  });
  expect(world.payloads().map((payload) => payload["hook_event_name"])).toEqual(["Setup", "SessionStart"]);
  expectRecorded("Setup", world.payloads("Setup")[0]);
  expect(resultsIn(requests[1])).toMatchObject([{ content: "yes" }]);
  const again = await world.run([bash("echo still $FROM_SETUP"), { text: "ok" }], {
    prompt: "go",
    resume: result.session_id,
  });
  expect(resultsIn(again.requests[1]).at(-1)).toMatchObject({ content: "still yes" });
  await world.run([{ text: "ok" }], { prompt: "go", setup: "maintenance" });
  expect(world.payloads("Setup").map(({ trigger }) => trigger)).toEqual(["init", "maintenance"]);
  expectRecorded("Setup", world.payloads("Setup")[1]);
});

test("SessionStart: gives context for the first request, a message that is a turn of its own, and paths to watch", async () => {
  const world = openWorld({
    settings: allowed,
    hooks: {
      SessionStart: {
        run: `printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"CONTEXT-MARK","initialUserMessage":"first this","watchPaths":["%s"]}}' "$PWD/deep/w.txt"`,
      },
      FileChanged: { matcher: "w.txt" },
      UserPromptSubmit: {},
    },
  });
  const { requests, result } = await world.run(
    [
      { text: "did it" },
      bash(`mkdir deep; echo x > deep/w.txt; ${untilRecorded(world, "FileChanged")}`),
      { text: "ok" },
    ],
    { prompt: "then that" },
  );
  expectRecorded("SessionStart", world.payloads("SessionStart")[0]);
  expect(toldIn(requests[0])).toContain("SessionStart:startup hook additional context: CONTEXT-MARK");
  expect(world.payloads("UserPromptSubmit").map(({ prompt }) => prompt)).toEqual(["first this", "then that"]);
  expect(await heard(world, "FileChanged")).toMatchObject([
    { file_path: join(world.project, "deep/w.txt"), event: "add" },
  ]);
  await world.run([{ text: "a" }, { text: "b" }, { text: "c" }], {
    resume: result.session_id,
    interactive: true,
    onReady: (control) => {
      for (const prompt of ["on", "/clear"]) control.prompt(prompt);
      control.end();
    },
  });
  expect(world.payloads("SessionStart").map(({ source }) => source)).toEqual(["startup", "resume", "clear"]);
  for (const payload of world.payloads("SessionStart")) expectRecorded("SessionStart", payload);
});

test("InstructionsLoaded: has four load reasons, with the paths that brought them in", async () => {
  const world = openWorld({
    settings: allowed,
    hooks: { InstructionsLoaded: {} },
    files: { "CLAUDE.md": "Be kind. @inc.md", "inc.md": "INCLUDED", "sub/CLAUDE.md": "NESTED", "sub/f.txt": "x" },
  });
  const { project } = world;
  const { requests } = await world.run(
    [
      { calls: [{ tool: "Read", input: { file_path: join(project, "sub/f.txt") } }], usage: { input: 900 } },
      { when: { purpose: "compaction" }, text: "<summary>s</summary>" },
      { text: "ok" },
    ],
    { prompt: "go", compactAt: 500 },
  );
  const loads = await heard(world, "InstructionsLoaded", 5);
  for (const payload of loads) expectRecorded("InstructionsLoaded", payload);
  const facts = loads.map((payload) =>
    ["load_reason", "file_path", "memory_type", "parent_file_path", "trigger_file_path"].flatMap((key) =>
      payload[key] === undefined ? [] : [String(payload[key]).replace(`${project}/`, "")],
    ),
  );
  expect(facts.sort()).toEqual([
    ["compact", "CLAUDE.md", "Project"],
    ["include", "inc.md", "Project", "CLAUDE.md"],
    ["include", "inc.md", "Project", "CLAUDE.md"],
    ["nested_traversal", "sub/CLAUDE.md", "Project", "sub/f.txt"],
    ["session_start", "CLAUDE.md", "Project"],
  ]);
  expect(requests[0]?.system.join("\n")).toContain("INCLUDED");
  expect(requests[0]?.system.join("\n")).not.toContain("NESTED");
});

test("SessionEnd: has its reason and a budget of a second and a half, and its failures are on stderr", async () => {
  const world = openWorld({
    hooks: { SessionEnd: [{ stderr: "could not save", exit: 1 }, { run: once("slow", "sleep 20") }] },
  });
  const env = { ...world.env, CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: undefined };
  const { events } = await world.run([{ text: "x" }], { prompt: "p", env });
  const ended = events.findLast((event) => event.kind === "outcome" && event.outcome.event === "SessionEnd");
  expect(ended?.kind === "outcome" && ended.outcome.runs.map((run) => run.ended.by)).toEqual(["exit", "timeout"]);
  const slow = ended?.kind === "outcome" ? ended.outcome.runs[1]?.ended : undefined;
  expect(slow?.by === "timeout" && slow.afterMs).toBeLessThanOrEqual(1_500);
  const notices = events.flatMap((event) => (event.kind === "notice" ? [event.text] : []));
  expect(notices).toContainEqual(expect.stringMatching(/^SessionEnd hook \[.*\] failed: could not save$/));
  await world.run([], {
    interactive: true,
    onReady: (control) => {
      for (const prompt of ["/clear", "/exit"]) control.prompt(prompt);
    },
  });
  const reasons = new Set(world.payloads("SessionEnd").map(({ reason }) => reason));
  expect(reasons).toEqual(new Set(["other", "clear", "prompt_input_exit"]));
  for (const payload of world.payloads("SessionEnd")) expectRecorded("SessionEnd", payload);
});
