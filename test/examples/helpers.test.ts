import { chmod } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blockDestructive } from "../../examples/hooks/block-destructive.ts";
import { commitOnStop } from "../../examples/hooks/commit-on-stop.ts";
import { commitTrailer } from "../../examples/hooks/commit-trailer.ts";
import { formatOnWrite } from "../../examples/hooks/format-on-write.ts";
import { heartbeat } from "../../examples/hooks/heartbeat.ts";
import { notify } from "../../examples/hooks/notify.ts";
import { steer } from "../../examples/hooks/steer.ts";
import { createApp, deny } from "../../src/sdk/index.ts";
import { mockTasks, testClient } from "../../src/sdk/testing/index.ts";
import { project } from "./project.ts";

test("format-on-write formats with the file's formatter and tells the model when that changed it", async () => {
  const { here, env, write, read } = await project();
  const upper = await write(
    "upper.mjs",
    `import { readFileSync, writeFileSync } from "node:fs"; const f = process.argv.at(-1);
const text = readFileSync(f, "utf8"); if (text.includes("(")) process.exit(1); writeFileSync(f, text.toUpperCase());`,
  );
  const client = testClient(createApp().include(formatOnWrite({ formatters: { ".txt": [process.execPath, upper] } })), {
    env,
  });
  const written = async (name: string, content: string) =>
    client.postTool("Write", { file_path: await write(name, content), content }, {}, here);
  (await written("a b.txt", "loud")).expectContext("was formatted");
  expect(await read("a b.txt")).toBe("LOUD");
  (await written("a b.txt", "LOUD")).expectNoOpinion();
  (await written("a b.txt", "broken (")).expectNoOpinion();
  (await written("a.md", "quiet")).expectNoOpinion();
});

test("format-on-write takes the longest end of a name, a path from the folder of the event, and reports a missing program", async () => {
  const { here, env, write, read } = await project();
  const add = (word: string) => [process.execPath, "-e", `fs.appendFileSync(process.argv.at(-1), "${word}")`] as const;
  const formatters = { ".ts": add("short"), ".d.ts": add("long"), py: ["no-such-program"] as const };
  const client = testClient(createApp().include(formatOnWrite({ formatters })), { env });
  await write("a.d.ts", "x ");
  (await client.postTool("Write", { file_path: "a.d.ts", content: "x " }, {}, here)).expectContext("was formatted");
  expect(await read("a.d.ts")).toBe("x long");
  const written = await write("b.py", "x");
  const { warnings } = await client.postTool("Write", { file_path: written, content: "x" }, {}, here);
  expect(warnings).toMatchObject([{ code: "handler-failed", message: expect.stringContaining("no-such-program") }]);
});

test("commit-trailer rewrites every git commit of a command, and nothing else", async () => {
  const client = testClient(createApp().include(commitTrailer({ trailer: "By: Ana's agent" })));
  const becomes = async (command: string) => (await client.preTool("Bash", { command })).updatedInput?.["command"];
  const option = `--trailer 'By: Ana'\\''s agent'`;
  expect(await becomes("git commit -m x")).toBe(`git commit ${option} -m x`);
  expect(await becomes("git add . && git -C /x -c a=b commit -am 'y'; git commit")).toBe(
    `git add . && git -C /x -c a=b commit ${option} -am 'y'; git commit ${option}`,
  );
  for (const spelled of [
    "'git' \"commit\"",
    "/usr/bin/git commit",
    "sudo -u ana env A=1 git commit",
    "git --git-dir /x commit",
  ]) {
    expect(await becomes(`echo '🎉é' && ${spelled} -m x`)).toBe(`echo '🎉é' && ${spelled} ${option} -m x`);
  }
  for (const same of ["git log --grep commit", "echo git commit", "bash -c 'git commit'", "git commit -m 'unclosed"]) {
    expect(await becomes(same)).toBeUndefined();
  }
  // It was added behind the closing backtick, as a word of echo.
  expect(await becomes("echo `git commit -m x`")).toBeUndefined();
  expect(await becomes(`git commit ${option.replace("'\\''", "'")} -m "By: Ana's agent"`)).toBeUndefined();
});

test("a guard with recheck sees what a rewriter made of the command", async () => {
  const app = createApp();
  app.preTool("Bash", { name: "no-trailers", recheck: true }, ({ input }) =>
    input.command.includes("--trailer") ? deny("No trailers here.") : undefined,
  );
  app.include(commitTrailer()).include(blockDestructive());
  const result = await testClient(app).preTool("Bash", { command: "git commit -m x" });
  result.expectDenied("No trailers here.");
  expect(result.trace.map(({ name, again }) => [name, again ?? false])).toEqual([
    ["no-trailers", false],
    ["commit-trailer", false],
    ["block-destructive", false],
    ["no-trailers", true],
  ]);
});

test("steer gives its text to the model once, at a tool, a prompt or a stop", async () => {
  const { here, env, write } = await project();
  const client = testClient(createApp().include(steer()), { env });
  (await client.postTool("Bash", { command: "ls" }, {}, here)).expectNoOpinion();
  await write(".claude/STEER.md", "Leave the parser alone.\n");
  (await client.postTool("Bash", { command: "ls" }, {}, here)).expectContext("says:\nLeave the parser alone.");
  (await client.prompt("go on", here)).expectNoOpinion();
  await write(".claude/STEER.md", "One more thing.");
  (await client.stop(here)).expectContext("One more thing.").expectBlocked();
  const past = testClient(createApp().include(steer()), { env, replay: true });
  await write(".claude/STEER.md", "Not for the past.");
  (await past.prompt("then", here)).expectNoOpinion();
});

test("heartbeat keeps one whole line about the last event", async () => {
  const { here, env, read } = await project();
  const client = testClient(createApp().include(heartbeat({ file: "state/beat.json" })), { env });
  await client.preTool("Bash", { command: "ls" }, { ...here, session_id: "s" });
  expect(JSON.parse(await read("state/beat.json"))).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    event: "PreToolUse",
    session: "s",
    tool: "Bash",
  });
  await client.stop({ ...here, session_id: "s" });
  expect(JSON.parse(await read("state/beat.json"))).toMatchObject({ event: "Stop", session: "s" });
});

test("helpers that fail deny and block nothing in an app whose failures block", async () => {
  const { here, env } = await project({ "a.txt": "1" });
  const app = createApp({ onFailure: "block" });
  app.include(heartbeat({ file: "a.txt/beat.json" })).include(steer({ file: "a.txt/STEER.md" }));
  app.include(formatOnWrite({ formatters: { ".txt": ["no-such-program"] } }));
  const client = testClient(app, { env });
  const before = await client.preTool("Bash", { command: "ls" }, here);
  const after = await client.postTool("Write", { file_path: "a.txt", content: "1" }, {}, here);
  expect([before.decision, before.blocked, after.decision, after.blocked]).toEqual(["none", false, "none", false]);
  expect([before.warnings.length, after.warnings.length]).toEqual([1, 3]);
});

test("commit-on-stop commits what changed, not on main, and not in the middle of a merge", async () => {
  const { here, env, write, git, commit, dir } = await project({ "a.txt": "1" });
  await commit("first");
  await git("config", "user.name", "Ana");
  await git("config", "user.email", "ana@example.com");
  const client = testClient(createApp().include(commitOnStop()), { env });
  await write("a.txt", "2");
  (await client.stop(here)).expectNoOpinion();
  await git("switch", "-q", "-c", "work");
  await write("new file.txt", "x");
  expect((await client.stop(here)).systemMessages).toEqual(["Committed 2 changed files on work."]);
  expect(await git("log", "--format=%s", "-1")).toBe("wip: a turn of the agent\n");
  expect(await git("status", "--porcelain")).toBe("");
  (await client.stop(here)).expectNoOpinion();
  await git("switch", "-q", "main");
  await write("a.txt", "3");
  await commit("other");
  await git("switch", "-q", "work");
  await git("merge", "-q", "main").catch(() => undefined);
  expect((await client.stop(here)).systemMessages).toEqual(["Not committed: there are conflicts."]);
  await write("a.txt", "both");
  await git("add", "a.txt");
  expect((await client.stop(here)).systemMessages).toEqual(["Not committed: a merge is not finished."]);
  expect(await git("log", "--format=%s", "-1")).toBe("wip: a turn of the agent\n");
  const nowhere = testClient(createApp().include(commitOnStop()), { env });
  (await nowhere.stop({ cwd: join(dir, "..") })).expectNoOpinion();
});

test("notify adds a task and waits for nothing", async () => {
  const tasks = mockTasks();
  const { here, env } = await project();
  const client = testClient(createApp().include(notify()), { tasks, env });
  (await client.notification({ ...here, message: "It needs you." })).expectNoOpinion();
  (await client.stop({ ...here, last_assistant_message: "Done." })).expectNoOpinion();
  expect(tasks.added.map(({ task, input }) => ({ task, input }))).toEqual([
    { task: "notify/send", input: { title: `Waiting in ${here.cwd}`, text: "It needs you." } },
    { task: "notify/send", input: { title: `Done in ${here.cwd}`, text: "Done." } },
  ]);
});

test("notify shows a note with a program, or posts it to a webhook", async () => {
  const { here, env, write, read, dir } = await project();
  const shows = await write(
    "shows.mjs",
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(dir, "shown"))}, process.argv.slice(2).join("|"));`,
  );
  await chmod(shows, 0o700);
  const desk = testClient(createApp().include(notify({ command: [process.execPath, shows, "-u"] })), { env });
  await desk.notification({ ...here, message: "'quoted' $(words)" });
  expect(await read("shown")).toBe(`-u|Waiting in ${dir}|'quoted' $(words)`);
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await new Response(request as never).text());
    response.end();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await testClient(createApp().include(notify({ webhook })), { env }).stop({
    ...here,
    last_assistant_message: "Done.",
  });
  expect(bodies.map((body) => JSON.parse(body) as unknown)).toEqual([{ title: `Done in ${dir}`, text: "Done." }]);
  await new Promise((closed) => server.close(closed));
});
