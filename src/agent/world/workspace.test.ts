import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, type World, type WorldOptions } from "../fixtures/agent-run.ts";

let world: World | undefined;
afterEach(() => world?.remove());

function open(options: WorldOptions = {}): World {
  world = makeWorld(options);
  return world;
}

const allow = { permissions: { allow: ["Bash", "Read", "Edit"] } };
const bash = (command: string) => ({ calls: [{ tool: "Bash", input: { command } }] });

test("instructions are in the system prompt, nested ones load when a file below is touched, and each load fires an event", async () => {
  const { run, payloads, project, transcript } = open({
    settings: allow,
    hooks: { InstructionsLoaded: {} },
    files: { "CLAUDE.md": "Be kind. @inc.md", "inc.md": "INCLUDED", "sub/CLAUDE.md": "NESTED", "sub/f.txt": "x" },
  });
  const { requests, result } = await run(
    [{ calls: [{ tool: "Read", input: { file_path: join(project, "sub/f.txt") } }] }, { text: "ok" }],
    { prompt: "go" },
  );
  expect(requests[0]?.system.join("\n")).toContain("Be kind.");
  expect(requests[0]?.system.join("\n")).toContain("INCLUDED");
  expect(requests[0]?.system.join("\n")).not.toContain("NESTED");
  expect(JSON.stringify(requests[1]?.messages)).toContain("NESTED");
  await expect.poll(() => payloads("InstructionsLoaded").length).toBe(3);
  const loads = payloads("InstructionsLoaded").map((payload) => [
    payload["load_reason"],
    String(payload["file_path"]).replace(project, ""),
  ]);
  expect(loads.sort()).toEqual([
    ["include", "/inc.md"],
    ["nested_traversal", "/sub/CLAUDE.md"],
    ["session_start", "/CLAUDE.md"],
  ]);
  expect(JSON.stringify(transcript(result.session_id))).toContain("nested_memory");
});

test("cd moves the session: CwdChanged, later payloads and env files follow", async () => {
  const { run, payloads, project } = open({
    settings: allow,
    hooks: {
      CwdChanged: { run: `echo 'export MOVED=1' >> "$CLAUDE_ENV_FILE"; touch "$CLAUDE_PROJECT_DIR/moved"` },
      PreToolUse: {},
    },
    files: { "sub/a": "" },
  });
  const { requests } = await run(
    [bash("cd sub"), bash("until [ -e ../moved ]; do sleep 0.02; done"), bash("echo $MOVED in $PWD"), { text: "ok" }],
    {
      prompt: "go",
    },
  );
  expect(payloads("CwdChanged")[0]).toMatchObject({ old_cwd: project, new_cwd: join(project, "sub") });
  expect(payloads("PreToolUse").map(({ cwd }) => String(cwd).replace(project, ""))).toEqual(["", "/sub", "/sub"]);
  expect(JSON.stringify(requests[3]?.messages)).toContain(`1 in ${join(project, "sub")}`);
});

test("a worktree that a hook makes is where an isolated agent works; a failure fails the tool", async () => {
  const { run, payloads, project } = open({
    settings: allow,
    hooks: { WorktreeCreate: { run: "mkdir -p wt && printf '%s' \"$PWD/wt\"" }, PreToolUse: { matcher: "Bash" } },
  });
  const call = { tool: "Agent", input: { description: "d", prompt: "p", isolation: "worktree" } };
  await run(
    [
      { calls: [call] },
      { when: { purpose: "subagent" }, ...bash("true") },
      { when: { purpose: "subagent" }, text: "done" },
      { text: "ok" },
    ],
    { prompt: "go" },
  );
  expect(payloads("WorktreeCreate")[0]).toMatchObject({ name: expect.stringMatching(/^agent-a[0-9a-f]{16}$/) });
  expect(payloads("PreToolUse")[0]).toMatchObject({ cwd: join(project, "wt") });
});

test("the report of an isolated agent names the folder of its work, in the foreground and in the background", async () => {
  const { run, project } = open({
    settings: allow,
    hooks: { WorktreeCreate: { run: "mkdir -p wt && printf '%s' \"$PWD/wt\"" } },
  });
  for (const background of [false, true]) {
    const input = { description: "d", prompt: "p", isolation: "worktree", run_in_background: background };
    const { requests } = await run(
      [
        { calls: [{ tool: "Agent", input }] },
        { when: { purpose: "subagent" }, text: "done" },
        { text: "ok", times: "any" },
      ],
      { prompt: "go" },
    );
    const heard = JSON.stringify(requests.at(-1)?.messages);
    const path = join(project, "wt");
    expect(heard).toContain(background ? `<worktreePath>${path}</worktreePath>` : `worktreePath: ${path}`);
  }
});

test("--worktree: the session begins in the copy; a hook that fails refuses the start", async () => {
  const first = open({ hooks: { WorktreeCreate: { run: 'mkdir -p wt; printf "%s" "$PWD/wt"' }, SessionStart: {} } });
  await first.run([{ text: "ok" }], { prompt: "go", worktree: "wt1" });
  expect(Object.keys(first.payloads("WorktreeCreate")[0] ?? {})).toEqual([
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "name",
  ]);
  expect(first.payloads("SessionStart")[0]).toMatchObject({ cwd: join(first.project, "wt") });
  first.remove();
  const { run } = open({ hooks: { WorktreeCreate: { stderr: "no room", exit: 1 } } });
  await expect(run([{ times: "any", text: "x" }], { prompt: "go", worktree: "wt1" })).rejects.toMatchObject({
    code: "host/no-worktree",
    message: expect.stringContaining("no room"),
  });
});

test("a folder that is added at run time belongs to the session from then on (DirectoryAdded)", async () => {
  const { run, payloads, home } = open({ hooks: { DirectoryAdded: {} } });
  const other = join(home, "other");
  mkdirSync(other);
  writeFileSync(join(other, "f.txt"), "outside\n");
  const { requests } = await run(
    [{ calls: [{ tool: "Read", input: { file_path: join(other, "f.txt") } }] }, { text: "ok" }],
    {
      onReady: async (control) => {
        await control.addDirectory(other, "slash_command");
        await expect(control.addDirectory(join(other, "nothing"), "slash_command")).rejects.toMatchObject({
          code: "host/no-folder",
        });
        control.prompt("go");
        control.end();
      },
    },
  );
  expect(JSON.stringify(requests[1]?.messages)).toContain("outside");
  await expect.poll(() => payloads("DirectoryAdded")).toMatchObject([{ directory: other, source: "slash_command" }]);
  expect(readFileSync(join(other, "f.txt"), "utf8")).toBe("outside\n");
});
