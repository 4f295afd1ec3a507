import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientForms, type DaemonWorld, openDaemonWorld } from "../daemon/world.ts";
import { app, denial, event, guard } from "./guard-app.ts";

/** A payload as the agent sent it. */
const payload = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, "../fixtures/agents", `${name}.json`), "utf8");

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

const foreign = [
  ["gemini.plain.BeforeTool", '"BeforeTool" belongs to Gemini CLI'],
  ["gemini.plain.AfterTool", '"AfterTool" belongs to Gemini CLI'],
  ["qwen.plain.PreToolUse", '"run_shell_command" belongs to Gemini CLI or Qwen Code'],
  ["codex.patch.PreToolUse", '"apply_patch" belongs to Codex or GitHub Copilot'],
  ["droid.plain.PreToolUse", '"Execute" belongs to Droid'],
  ["copilot.plain.preToolUse", "another agent sent it"],
  ["cline.plain.PreToolUse", "another agent sent it"],
  ["opencode.rewrite.tool_execute_before", "it has no hook_event_name"],
  ["pi.plain.tool_call", "it has no hook_event_name"],
] as const;

describe("a payload of another agent", () => {
  test.each(foreign)("%s is refused by `hookline run --on-failure block`, cold and warm", async (name, words) => {
    const file = world.file("guard.mjs", guard);
    const cold = await world.cli(["run", file, "--on-failure", "block"], { input: payload(name) });
    expect([cold.code, cold.stdout, cold.stderr]).toEqual([2, "", expect.stringContaining(words)]);
    await world.serve(file);
    for (const form of clientForms) {
      const warm = await world.client([file, "--on-failure", "block"], payload(name), { form });
      expect([form, warm.code, warm.stdout, warm.stderr]).toEqual([form, 2, "", expect.stringContaining(words)]);
    }
  });

  test("is reported with exit 1 when a failure means continue, and no handler runs", async () => {
    const file = world.file(
      "catch-all.mjs",
      app(`app.preTool(() => sdk.deny("ran")); app.on("Stop", () => undefined);`),
    );
    const ran = await world.cli(["run", file], { input: payload("qwen.plain.PreToolUse") });
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([
      1,
      { systemMessage: expect.stringContaining('The tool "run_shell_command" belongs to') },
    ]);
    expect(world.log().at(-1)).toMatchObject({
      event: "PreToolUse",
      tool: "run_shell_command",
      answer: "none",
      failed: expect.stringContaining("belongs to"),
    });
  });

  test("is refused when only one handler of the app blocks on failure", async () => {
    const file = world.file("one.mjs", app(`app.preTool("Bash", { onFailure: "block" }, () => undefined);`));
    expect((await world.cli(["run", file], { input: payload("gemini.plain.BeforeTool") })).code).toBe(2);
  });
});

describe("an event that is not in the catalog", () => {
  test("is a failure without a handler, and goes to a handler that names it", async () => {
    const file = world.file("named.mjs", app(`app.on("BrandNew", () => sdk.systemMessage("heard"));`));
    const send = (name: string) =>
      world.cli(["run", file, "--on-failure", "block"], { input: event({ hook_event_name: name }) });
    const unknown = await send("Unheard");
    expect([unknown.code, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toContain('The event "Unheard" is unknown');
    expect((await send("BrandNew")).stdout).toBe('{"systemMessage":"heard"}\n');
  });
});

test("a tool call without the name of its tool is refused cold and warm", async () => {
  const file = world.file("nameless.mjs", guard);
  await world.serve(file);
  const faults = [
    [undefined, "tool_name is missing; PreToolUse needs it"],
    [42, "tool_name of PreToolUse must be"],
  ] as const;
  for (const [tool_name, why] of faults) {
    const input = event({ tool_name });
    const refused = {
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(why),
    };
    expect(await world.cli(["run", file, "--on-failure", "block"], { input })).toEqual(refused);
    for (const form of clientForms) {
      expect(await world.client([file, "--on-failure", "block"], input, { form })).toMatchObject(refused);
    }
  }
});

test("a tool that is merely new, and one of a server or plugin, is matched by name and never refused", async () => {
  const file = world.file("new.mjs", app(`app.preTool("TimeTravel", () => sdk.deny("no"));`));
  const send = (tool_name: string) =>
    world.cli(["run", file, "--on-failure", "block"], { input: event({ tool_name }) });
  expect(await send("TimeTravel")).toEqual({ code: 0, stdout: denial("no"), stderr: "" });
  for (const name of ["BrandNewTool", "mcp__shell__bash", "mcp__gemini__run_shell_command"]) {
    expect(await send(name)).toEqual({ code: 0, stdout: "", stderr: "" });
  }
});

describe("Codex", () => {
  const answers = {
    ask: `sdk.ask("Really?")`,
    "ask with a rewrite": `[sdk.updateInput({ command: "true" }), sdk.ask("Really?")]`,
    defer: `sdk.defer("Really?")`,
    halt: `sdk.halt("Really?")`,
    "raw ask": `sdk.raw({ hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "Really?" } })`,
  };
  test.each(Object.entries(answers))("an answer %s becomes a deny with its reason", async (_, answer) => {
    const file = world.file("asks.mjs", app(`app.preTool("Bash", () => ${answer});`));
    const { stdout, code } = await world.cli(["run", file], { input: payload("codex.plain.PreToolUse") });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: expect.stringMatching(/^Really\?/),
        },
      },
    ]);
    expect(world.log().at(-1)).toMatchObject({ answer: "refused" });
  });

  test("an ask becomes a deny warm and without a transcript too, and only for Codex", async () => {
    const file = world.file("warm-ask.mjs", app(`app.preTool("Bash", () => sdk.ask("Really?"));`));
    await world.serve(file);
    const decided = async (input: string) => {
      const { stdout } = await world.client([file], input);
      return (JSON.parse(stdout) as { hookSpecificOutput: { permissionDecision: string } }).hookSpecificOutput
        .permissionDecision;
    };
    const codex = JSON.parse(payload("codex.plain.PreToolUse")) as object;
    expect(await decided(JSON.stringify(codex))).toBe("deny");
    expect(await decided(JSON.stringify({ ...codex, transcript_path: null }))).toBe("deny");
    expect(await decided(event({ transcript_path: join("/home/dev/.claude/projects/x/s.jsonl") }))).toBe("ask");
    expect(await decided(payload("copilot.plain-pascal.PreToolUse"))).toBe("ask");
  });
});
