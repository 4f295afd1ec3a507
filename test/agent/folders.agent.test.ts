import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorld } from "../../src/agent/fixtures/agent-run.ts";
import { allowed, bash, expectDeclared, expectRecorded, heard, resultsIn, untilRecorded, untilThere } from "./stage.ts";

test("ConfigChange: an edit from outside takes effect at once; exit 2 keeps the old snapshot", async () => {
  for (const refusing of [false, true]) {
    const says = refusing ? { stderr: "no", exit: 2 } : {};
    const world = openWorld({ settings: allowed, hooks: { ConfigChange: says, PostToolUse: {} } });
    const file = join(world.home, ".claude", "settings.json");
    // The settings change when the hook that has recorded the event is over.
    const settled = `${untilRecorded(world, "ConfigChange")}; sleep 0.5`;
    await world.run([bash("true"), bash(settled), bash("true"), { text: "ok" }], {
      prompt: "go",
      permissionMode: "bypassPermissions",
      observe: (event) => {
        if (event.kind === "outcome" && event.outcome.event === "PostToolUse") writeFileSync(file, "{}");
      },
    });
    expectRecorded("ConfigChange", world.payloads("ConfigChange")[0]);
    expect(world.payloads("ConfigChange")[0]).toMatchObject({ source: "user_settings", file_path: file });
    expect(world.payloads("PostToolUse")).toHaveLength(refusing ? 3 : 1);
  }
});

test("CwdChanged: cd in Bash, before that call's PostToolUse; its env file reaches later calls", async () => {
  const world = openWorld({
    settings: allowed,
    files: { "sub/a": "" },
    hooks: {
      CwdChanged: { run: `echo 'export MOVED=1' >> "$CLAUDE_ENV_FILE"; touch "$CLAUDE_PROJECT_DIR/moved"` },
      PostToolUse: {},
    },
  });
  const { requests, events } = await world.run(
    [bash("cd sub"), bash(untilThere("../moved")), bash("echo $MOVED $PWD"), { text: "ok" }],
    {
      prompt: "go",
    },
  );
  expectRecorded("CwdChanged", world.payloads("CwdChanged")[0]);
  const sub = join(world.project, "sub");
  expect(world.payloads("CwdChanged")).toMatchObject([{ old_cwd: world.project, new_cwd: sub, cwd: sub }]);
  const started = events.flatMap((event) =>
    event.kind === "hook" && event.step.kind === "started" ? [event.event] : [],
  );
  expect(started.indexOf("CwdChanged")).toBeLessThan(started.indexOf("PostToolUse"));
  expect(resultsIn(requests[3]).at(-1)).toMatchObject({ content: `1 ${sub}` });
});

test("FileChanged: matched on the base name, in the current folder; added, changed and removed", async () => {
  const world = openWorld({
    settings: allowed,
    files: { "n.env": "a", "sub/keep": "" },
    hooks: { FileChanged: [{ matcher: "n.env" }, { matcher: "other" }] },
  });
  const seen = (change: string) => untilRecorded(world, `"event":"${change}"`);
  await world.run(
    [
      bash(`echo bb > n.env; ${seen("change")}; rm n.env; ${seen("unlink")}`),
      bash("cd sub"),
      bash(`echo c > ../n.env; echo d > n.env; ${seen("add")}`),
      { text: "ok" },
    ],
    { prompt: "go" },
  );
  const changes = await heard(world, "FileChanged", 3);
  for (const payload of changes) expectRecorded("FileChanged", payload);
  const told = changes.map(
    (payload) => `${payload["event"]} ${String(payload["file_path"]).replace(world.project, "")}`,
  );
  // On a busy machine a file that a shell empties and then fills may be seen in between.
  expect(told.filter((one, index) => one !== told[index - 1])).toEqual([
    "change /n.env",
    "unlink /n.env",
    "add /sub/n.env",
  ]);
});

test("DirectoryAdded: the folder is usable from then on", async () => {
  const world = openWorld({ hooks: { DirectoryAdded: {} } });
  const other = join(world.home, "other");
  mkdirSync(other);
  writeFileSync(join(other, "f.txt"), "from elsewhere");
  const read = { calls: [{ tool: "Read", input: { file_path: join(other, "f.txt") } }] };
  const { requests } = await world.run([read, { text: "a" }, read, { text: "b" }], {
    onReady: (control) => {
      for (const prompt of ["go", `/add-dir ${other}`, "again"]) control.prompt(prompt);
      control.end();
    },
  });
  const [payload] = await heard(world, "DirectoryAdded");
  expectDeclared("DirectoryAdded", payload);
  expect(payload).toMatchObject({ directory: other, source: "slash_command" });
  expect(resultsIn(requests[3])).toMatchObject([{ is_error: true }, { content: "1\tfrom elsewhere" }]);
});

const enter = { calls: [{ tool: "EnterWorktree", input: { name: "feat" } }] };
const leave = { calls: [{ tool: "ExitWorktree", input: { action: "remove", discard_changes: true } }] };
const free = { prompt: "go", permissionMode: "bypassPermissions" } as const;

test("WorktreeCreate: the hook's path is where the session works; a failure fails the tool", async () => {
  const world = openWorld({
    hooks: { WorktreeCreate: { run: `mkdir "$PWD/made"; echo "$PWD/made"` }, CwdChanged: {} },
  });
  const { requests } = await world.run([enter, bash("pwd"), { text: "ok" }], free);
  expectRecorded("WorktreeCreate", world.payloads("WorktreeCreate")[0]);
  expect(world.payloads("WorktreeCreate")).toMatchObject([{ name: "feat" }]);
  expect(resultsIn(requests[2]).at(-1)).toMatchObject({ content: join(world.project, "made") });
  const fresh = openWorld({ hooks: { WorktreeCreate: { run: `mkdir "$PWD/made"; echo "$PWD/made"` } } });
  const inside = await fresh.run([bash("pwd"), { text: "ok" }], { ...free, worktree: "wt1" });
  expectRecorded("WorktreeCreate", fresh.payloads("WorktreeCreate")[0]);
  expect(resultsIn(inside.requests[1])).toMatchObject([{ content: join(fresh.project, "made") }]);
  const failing = openWorld({ hooks: { WorktreeCreate: { stderr: "no room", exit: 1 } } });
  const failed = await failing.run([enter, bash("pwd"), { text: "ok" }], free);
  expect(resultsIn(failed.requests[2])).toMatchObject([
    { content: expect.stringMatching(/^WorktreeCreate hook failed: .*no room/s), is_error: true },
    { content: failing.project },
  ]);
  await expect(failing.run([], { ...free, worktree: "wt1" })).rejects.toMatchObject({ code: "host/no-worktree" });
});

test("WorktreeRemove: fires while the worktree exists; afterwards the folder is removed", async () => {
  const hooked = openWorld({
    hooks: {
      WorktreeCreate: { run: `mkdir "$PWD/made"; echo "$PWD/made"` },
      WorktreeRemove: { run: `rmdir "$PWD"` },
    },
  });
  const { requests } = await hooked.run([enter, leave, bash("pwd"), { text: "ok" }], free);
  expectRecorded("WorktreeRemove", hooked.payloads("WorktreeRemove")[0]);
  const made = join(hooked.project, "made");
  expect(hooked.payloads("WorktreeRemove")).toMatchObject([{ worktree_path: made, cwd: made }]);
  expect([existsSync(made), resultsIn(requests[3]).at(-1)?.content]).toEqual([false, hooked.project]);

  const own = openWorld({ hooks: { WorktreeRemove: {} }, files: { "a.txt": "x" } });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: own.project });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  await own.run([enter, bash("echo y > new.txt"), leave, { text: "ok" }], free);
  expect(own.payloads("WorktreeRemove")).toHaveLength(1);
  expect(existsSync(join(own.project, ".claude/worktrees/feat"))).toBe(false);
});
