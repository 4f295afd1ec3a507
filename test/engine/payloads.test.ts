import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventNames } from "../../src/protocol/internal.ts";
import { recordedPayloads } from "../fixtures/payloads/read.ts";
import { on, openIn } from "./world.ts";

const recorded = eventNames.filter((event) => recordedPayloads(event).length > 0);

test.each(recorded)("the stdin of a %s hook is the recorded payload, byte for byte, and a newline", async (event) => {
  // The folders of the recording are not here; hooks then run in the project.
  const { engine, project } = await openIn(on(event, 'cat > "$CLAUDE_PROJECT_DIR/stdin"'));
  const file = join(project, "stdin");
  for (const { payload, line } of recordedPayloads(event)) {
    await engine.fire(event, payload);
    expect(readFileSync(file, "utf8")).toBe(`${line}\n`);
    rmSync(file);
  }
});

test("common fields come first in their order, the host's own after the event's name", async () => {
  const { engine, project } = await openIn(on("PreToolUse", "cat > stdin"));
  const payload = {
    moon: "full",
    tool_input: {},
    tool_name: "Bash",
    effort: { level: "high" },
    permission_mode: "plan",
    prompt_id: "p-1",
    transcript_path: "/t.jsonl",
    session_id: "s-1",
  };
  await engine.fire("PreToolUse", payload);
  const stdin = JSON.parse(readFileSync(join(project, "stdin"), "utf8"));
  expect(Object.keys(stdin)).toEqual([
    ...["session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "effort", "hook_event_name"],
    ...["moon", "tool_input", "tool_name"],
  ]);
});

test("a host's field may have the name of something that every object inherits", async () => {
  const { engine, project } = await openIn(on("PreToolUse", "cat > stdin"));
  const payload = JSON.parse(
    '{"tool_name":"Bash","tool_input":{},"constructor":"c","toString":"t","__proto__":{"a":1}}',
  );
  await engine.fire("PreToolUse", payload);
  const stdin = JSON.parse(readFileSync(join(project, "stdin"), "utf8"));
  expect(Object.keys(stdin).slice(-4)).toEqual(["tool_name", "tool_input", "constructor", "toString"]);
});

test("a new prompt starts the count of continuations afresh, also for a host that sends no session id", async () => {
  const { engine } = await openIn({});
  engine.on("Stop", ({ stop_hook_active }) => ({ kind: "deny", reason: String(stop_hook_active) }));
  for (const session of [{}, { session_id: "s" }, { session_id: undefined }] as object[]) {
    const stop = async () => {
      const { reason, output } = await engine.fireUnknown("Stop", session);
      return [reason, output.stopBlocks?.count];
    };
    expect([await stop(), await stop()]).toEqual([
      ["false", 1],
      ["true", 2],
    ]);
    await engine.fireUnknown("UserPromptSubmit", { ...session, prompt: "go" });
    expect(await stop()).toEqual(["false", 1]);
    await engine.fireUnknown("UserPromptSubmit", { ...session, prompt: "go" });
  }
});

test("a hook that reads all of 5 MB gets all of it", async () => {
  const { engine } = await openIn(on("UserPromptSubmit", "wc -c | tr -d ' '"));
  const prompt = "é".repeat(2_500_000);
  const { additionalContext } = await engine.fire("UserPromptSubmit", { prompt });
  expect(Number(additionalContext[0])).toBeGreaterThan(5_000_000);
});

test("an event name that is not a string is refused like an unknown one", async () => {
  const { engine } = await openIn({});
  for (const name of [null, 5, {}, Symbol("x")]) {
    await expect(engine.fireUnknown(name as unknown as string, {})).rejects.toMatchObject({ code: "event/unknown" });
  }
});

test.each([".", "", "sub/.."])(
  "a payload's folder %j counts from the start folder, for rules and hooks alike",
  async (cwd) => {
    const rules = { permissions: { blockReadsOutsideWorkingDirectories: true } };
    const { engine, project } = await openIn({ ...on("PreToolUse", "pwd >&2"), ...rules });
    engine.on("PreToolUse", () => ({ kind: "allow" }));
    const payload = { cwd, tool_name: "Read", tool_input: { file_path: "/etc/passwd" } };
    const { decision, runs } = await engine.fire("PreToolUse", payload);
    expect(decision).toBe("deny");
    expect(runs[0]?.stderr.trim()).toBe(project);
  },
);
