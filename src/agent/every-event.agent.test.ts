import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventNames } from "../protocol/internal.ts";
import type { UserPort } from "./agent-ports.ts";
import { makeWorld } from "./fixtures/agent-run.ts";

test("every event of the catalog is fired by the agent itself at a real occasion", async () => {
  const hooks = Object.fromEntries(eventNames.map((name) => [name, {}]));
  const watch = `printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["%s"]}}' "$PWD/watched.txt"`;
  // The watchers report after a quiet period, which the session must not end before.
  const watchersReport = "until [ -e ~/file-changed ] && [ -e ~/config-changed ]; do sleep 0.02; done";
  const world = makeWorld({
    files: { "CLAUDE.md": "Be brief.", ".claude/commands/foo.md": "Do $ARGUMENTS", "sub/a": "" },
    hooks: {
      ...hooks,
      SessionStart: { run: watch },
      FileChanged: { run: 'touch "$HOME/file-changed"' },
      ConfigChange: { run: 'touch "$HOME/config-changed"' },
      WorktreeCreate: { run: 'mkdir -p wt; printf "%s" "$PWD/wt"' },
      WorktreeRemove: { run: "rmdir wt" },
    },
    settings: { permissions: { allow: ["mcp__srv__ask_user", "Bash(exit 3)"] } },
  });
  const { project, home, run, payloads } = world;
  const server = { command: process.execPath, args: [join(import.meta.dirname, "mcp/fixtures/stdio-server.mjs")] };
  const agrees: UserPort = {
    permission: async () => ({ behavior: "allow" }),
    elicit: async () => ({ action: "accept", content: { name: "Ann" } }),
  };
  const call = (tool: string, input: object = {}) => ({ tool, input: input as Record<string, unknown> });
  let isSettingsEdited = false;
  const inAgent = { purpose: "subagent" } as const;

  await run(
    [
      {
        text: "Let me see.",
        calls: [
          call("Bash", { command: "touch watched.txt" }),
          call("Bash", { command: watchersReport }),
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
        if (event.kind !== "assistant" || isSettingsEdited) return;
        isSettingsEdited = true;
        appendFileSync(join(home, ".claude", "settings.json"), "\n");
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
  await expect.poll(() => eventNames.filter((name) => payloads(name).length === 0), { timeout: 5_000 }).toEqual([]);
  for (const payload of payloads())
    expect([payload["hook_event_name"], payload["session_id"], payload["transcript_path"], payload["cwd"]]).toEqual([
      expect.any(String),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringContaining(String(payload["session_id"])),
      expect.stringContaining(project),
    ]);
  world.remove();
});
