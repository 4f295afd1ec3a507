import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type EventName, eventNames } from "../protocol/internal.ts";
import { makeWorld } from "./fixtures/agent-run.ts";
import type { UserPort } from "./turn/ask-user.ts";

/** Where each event of the catalog is fired, and the tests that show it. The type makes a new event fail the build. */
const occasions: Readonly<Record<EventName, string>> = {
  Setup: "begin.ts: --init, --init-only, --maintenance · session.test.ts",
  SessionStart:
    "begin.ts, slash/builtin.ts, compact.ts: start, resume, /clear, compaction · session.test.ts, turn.test.ts",
  InstructionsLoaded: "surroundings.ts: each instructions file · surroundings.test.ts",
  UserPromptExpansion: "slash/custom.ts: a custom command or skill is typed · session.test.ts",
  UserPromptSubmit: "prompt.ts: every prompt and every piece of news that is a turn · session.test.ts, agents.test.ts",
  MessageDisplay: "display.ts: whole lines of the main thread · turn.test.ts",
  PreToolUse: "tool-call.ts: every valid call · tool-call.test.ts",
  PermissionRequest: "decide.ts: before the user is asked, or when there is no user · permissions.test.ts",
  PermissionDenied: "decide.ts: the classifier refuses in auto mode · permissions.test.ts",
  PostToolUse: "tool-call.ts: the tool succeeded · tool-call.test.ts",
  PostToolUseFailure: "tool-call.ts: the tool failed, or was interrupted · tool-call.test.ts, turn.test.ts",
  PostToolBatch: "loop.ts: after every batch · tool-call.test.ts",
  Notification: "asking.ts, drive.ts · permissions.test.ts, front.test.ts",
  TaskCreated: "tool-context.ts: TaskCreate · tools/tasks/tasks.test.ts",
  TaskCompleted: "tool-context.ts: TaskUpdate to completed · tools/tasks/tasks.test.ts",
  SubagentStart: "agents/agent-thread.ts: an agent begins · agents.test.ts",
  SubagentStop: "stop.ts, compact.ts: an agent wants to end · agents.test.ts, turn.test.ts",
  TeammateIdle: "agents/teammate.ts: a named agent is about to wait · agents.test.ts",
  PreCompact: "compact.ts: by hand or when the window fills · turn.test.ts",
  PostCompact: "compact.ts · turn.test.ts",
  PreModelSwitch: "model-switch.ts: /model, set_model · turn.test.ts",
  PostModelSwitch: "model-switch.ts: and the fallback · turn.test.ts",
  CwdChanged: "surroundings.ts: cd, worktrees · surroundings.test.ts",
  DirectoryAdded: "control-of.ts: /add-dir, register_repo_root · surroundings.test.ts",
  FileChanged: "surroundings.ts: a watched file · surroundings.test.ts",
  ConfigChange: "engine.watch: a settings file is edited from outside · surroundings.test.ts",
  WorktreeCreate: "worktree-port.ts: --worktree, EnterWorktree, isolated agents · surroundings.test.ts",
  WorktreeRemove: "worktree-port.ts: ExitWorktree with remove · worktree/worktree.test.ts",
  Elicitation: "asking.ts: a server asks · mcp/connector.test.ts",
  ElicitationResult: "asking.ts: somebody answered · mcp/connector.test.ts",
  Stop: "stop.ts: the model has nothing more to do · turn.test.ts",
  StopFailure: "model-call.ts: an API error after all tries · turn.test.ts",
  SessionEnd: "end.ts: every end, and /clear · session.test.ts",
};

test("every event of the catalog is fired by the agent itself at a real occasion", async () => {
  const hooks = Object.fromEntries(eventNames.map((name) => [name, {}]));
  const watch = `printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["%s"]}}' "$PWD/watched.txt"`;
  const world = makeWorld({
    files: { "CLAUDE.md": "Be brief.", ".claude/commands/foo.md": "Do $ARGUMENTS", "sub/a": "" },
    hooks: {
      ...hooks,
      SessionStart: { run: watch },
      WorktreeCreate: { run: 'mkdir -p wt; printf "%s" "$PWD/wt"' },
      WorktreeRemove: { run: "rmdir wt" },
    },
    settings: { permissions: { allow: ["mcp__srv__ask_user", "Bash(sleep *)", "Bash(exit 3)"] } },
  });
  const { project, home, run, payloads } = world;
  const server = { command: process.execPath, args: [join(import.meta.dirname, "mcp/fixtures/stdio-server.mjs")] };
  const agrees: UserPort = {
    permission: async () => ({ behavior: "allow" }),
    elicit: async () => ({ action: "accept", content: { name: "Ann" } }),
  };
  const call = (tool: string, input: object = {}) => ({ tool, input: input as Record<string, unknown> });
  const inAgent = { purpose: "subagent" } as const;

  await run(
    [
      {
        text: "Let me see.",
        calls: [
          call("Bash", { command: "touch watched.txt" }),
          call("Bash", { command: "exit 3" }),
          call("TaskCreate", { subject: "s", description: "d" }),
        ],
      },
      {
        calls: [
          call("TaskUpdate", { taskId: "1", status: "completed" }),
          call("mcp__srv__ask_user"),
          call("EnterWorktree", { name: "wt" }),
        ],
      },
      {
        calls: [
          call("ExitWorktree", { action: "remove" }),
          call("Agent", { description: "a", prompt: "p", name: "mate" }),
        ],
      },
      { when: inAgent, times: "any", text: "looked" },
      { when: { lastMessage: "<task-notification>" }, times: "any", text: "thanks" },
      { calls: [call("Bash", { command: "sleep 0.8" })] },
      { when: { purpose: "compaction" }, text: "summary" },
      { times: "any", text: "done" },
    ],
    {
      setup: "init",
      user: agrees,
      mcpConfig: [JSON.stringify({ mcpServers: { srv: server } })],
      onReady: async (control) => {
        await control.setModel("another");
        await control.addDirectory(home, "slash_command");
        control.prompt("/foo bar");
        control.prompt("/compact");
        control.end();
      },
      observe: (event) => {
        if (event.kind === "assistant") appendFileSync(join(home, ".claude", "settings.json"), "\n");
      },
    },
  );
  await run(
    [
      { calls: [call("Bash", { command: "touch x" })] },
      { when: { purpose: "classifier" }, text: '{"allow": false, "reason": "no"}' },
      { error: { status: 400, message: "bad" } },
    ],
    { prompt: "go", permissionMode: "auto" },
  );
  await expect
    .poll(() => Object.keys(occasions).filter((name) => payloads(name as EventName).length === 0), { timeout: 5_000 })
    .toEqual([]);
  for (const payload of payloads())
    expect([payload["hook_event_name"], payload["session_id"], payload["transcript_path"], payload["cwd"]]).toEqual([
      expect.any(String),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringContaining(String(payload["session_id"])),
      expect.stringContaining(project),
    ]);
  world.remove();
});

test("the table names every event of the catalog and no other", () => {
  expect(Object.keys(occasions).sort()).toEqual([...eventNames].sort());
});
