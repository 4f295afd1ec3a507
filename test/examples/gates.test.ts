import { utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { budgetGuard } from "../../examples/hooks/budget-guard.ts";
import { cleanState } from "../../examples/hooks/clean-state.ts";
import { evaluatorGate } from "../../examples/hooks/evaluator-gate.ts";
import { killSwitch } from "../../examples/hooks/kill-switch.ts";
import { longRunning } from "../../examples/hooks/long-running.ts";
import { requireTests } from "../../examples/hooks/require-tests.ts";
import { createApp } from "../../src/sdk/index.ts";
import { captureEvents, testClient } from "../../src/sdk/testing/index.ts";
import { openSession } from "../../src/sessions/internal.ts";
import { project } from "./project.ts";

test("require-tests wants a passing run after the last edit, once per turn", async () => {
  const client = testClient(createApp().include(requireTests()));
  (await client.stop({ stop_hook_active: false })).expectNoOpinion();
  await client.postTool("Write", { file_path: "/p/a.ts", content: "" }, {});
  (await client.stop({ stop_hook_active: false })).expectBlocked("Run them");
  (await client.stop({ stop_hook_active: true })).expectNoOpinion();
  await client.postToolFailure("Bash", { command: "npm test" }, "Exit code 1");
  (await client.stop({ stop_hook_active: false })).expectBlocked("Run them");
  // These succeed however the tests ended.
  for (const hidden of ["npm test | tail -5", "npm test || true", "npm test; echo done", "npm test\necho done"]) {
    await client.postTool("Bash", { command: hidden }, {});
    (await client.stop({ stop_hook_active: false })).expectBlocked("without a pipe");
  }
  // These succeed before the tests have ended.
  for (const begun of [{ command: "npm test", run_in_background: true }, { command: "npm test > log 2>&1 &" }]) {
    await client.postTool("Bash", begun, {});
    (await client.stop({ stop_hook_active: false })).expectBlocked("in the foreground");
  }
  await client.postTool("Bash", { command: "cd api && npm run test -- --bail 2>&1 && echo done" }, {});
  (await client.stop({ stop_hook_active: false })).expectNoOpinion();
});

test("require-tests takes a report that is newer than the edit, and leaves other files alone", async () => {
  const { here, env, write, dir } = await project();
  const client = testClient(createApp().include(requireTests({ evidence: "junit.xml", files: /\.ts$/ })), { env });
  await client.postTool("Edit", { file_path: "/p/notes.md", old_string: "", new_string: "" }, {}, here);
  (await client.stop({ ...here, stop_hook_active: false })).expectNoOpinion();
  await write("junit.xml", "");
  utimesSync(join(dir, "junit.xml"), 1, 1);
  await client.postTool("Edit", { file_path: "/p/a.ts", old_string: "", new_string: "" }, {}, here);
  (await client.stop({ ...here, stop_hook_active: false })).expectBlocked();
  const later = Date.now() / 1000 + 5;
  utimesSync(join(dir, "junit.xml"), later, later);
  (await client.stop({ ...here, stop_hook_active: false })).expectNoOpinion();
});

test("budget-guard warns the user once, then asks, then stops, by tokens", async () => {
  const file = join(import.meta.dirname, "../fixtures/transcripts/a-plain/11111111-1111-4111-8111-111111111111.jsonl");
  const transcript = await openSession(file);
  const { tokens } = await transcript.stats();
  const spent = tokens.main.input + tokens.main.output + tokens.main.cacheWrite5m + tokens.main.cacheWrite1h;
  expect(spent).toBeGreaterThan(100);
  const ends = async (options: Parameters<typeof budgetGuard>[0]) => {
    const client = testClient(createApp().include(budgetGuard(options)), { transcript });
    return [
      await client.preTool("Read", { file_path: "a" }),
      await client.preTool("Read", { file_path: "a" }),
      await client.prompt("go on"),
    ] as const;
  };
  const [plenty] = await ends({ tokens: spent * 10 });
  plenty.expectNoOpinion();
  const limit = Math.ceil(spent / 0.9);
  const [warned, again] = await ends({ tokens: limit });
  expect(warned.systemMessages).toEqual([`Used ${spent} of ${limit} tokens.`]);
  again.expectNoOpinion();
  const [asked, , goesOn] = await ends({ tokens: spent });
  asked.expectAsked("used up");
  goesOn.expectNoOpinion();
  const [halted, , blocked] = await ends({ tokens: Math.floor(spent / 2) });
  halted.expectHalted("The budget is used up").expectDenied();
  blocked.expectBlocked("Raise it where budgetGuard is included");
});

test.each([
  [{ tokens: "2m" }, '"tokens" of budget-guard is "2m"; it must be a number above 0'],
  [{ tokens: Number.NaN }, '"tokens" of budget-guard is NaN; it must be a number above 0'],
  [{ tokens: -1 }, '"tokens" of budget-guard is -1; it must be a number above 0'],
  [{ usd: 0 }, '"usd" of budget-guard is 0; it must be a number above 0'],
  [{ usd: "5" }, '"usd" of budget-guard is "5"; it must be a number above 0'],
  [{ warnAt: "80%" }, '"warnAt" of budget-guard is "80%"; it must be a number'],
  [{ askAt: "80%" }, '"askAt" of budget-guard is "80%"; it must be a number'],
  [{ usd: 5, tokens: 10 }, "budget-guard takes usd, or tokens per session"],
  [{ tokens: 10, per: "day" }, "budget-guard takes usd, or tokens per session"],
  [{ haltAt: Number.NaN }, '"haltAt" of budget-guard is NaN; it must be a number'],
])("budget-guard refuses %o, which would switch a limit off", (options, message) => {
  expect(() => budgetGuard(options as never)).toThrow(message);
});

test("budget-guard counts dollars by session, day, month and project, and reports models without a price", async () => {
  const { env, dir, write } = await project();
  const at = new Date().toISOString();
  const call = (id: string, model: string) => ({
    type: "assistant",
    message: {
      id,
      role: "assistant",
      model,
      stop_reason: "end_turn",
      usage: { input_tokens: 200_000, output_tokens: 0 },
    },
    timestamp: at,
    cwd: dir,
  });
  const lines = (...calls: object[]) => calls.map((one) => `${JSON.stringify(one)}\n`).join("");
  await write("agent/projects/-p/s1.jsonl", lines(call("m1", "claude-opus-5")));
  await write("agent/projects/-p/s2.jsonl", lines(call("m2", "claude-opus-5"), call("m3", "acme-1")));
  const here = { cwd: dir, session_id: "s1" };
  const world = { env: { ...env, CLAUDE_CONFIG_DIR: join(dir, "agent"), HOOKLINE_HOME: join(dir, "state") } };
  const tool = async (options: Parameters<typeof budgetGuard>[0], session = "s1") =>
    testClient(createApp().include(budgetGuard(options)), world).preTool(
      "Read",
      { file_path: "a" },
      { ...here, session_id: session },
    );
  (await tool({ usd: 10 })).expectNoOpinion();
  (await tool({ usd: 1 })).expectAsked("$1.00 of $1.00 for this session");
  (await tool({ usd: 0.5 })).expectHalted("$1.00 of $0.50");
  (await tool({ usd: 2, per: "day" })).expectAsked("$2.00 of $2.00 for this day");
  (await tool({ usd: 2, per: "month" })).expectAsked("for this month");
  (await tool({ usd: 2, per: "project" })).expectAsked("for this project");
  expect((await tool({ usd: 10 }, "s2")).systemMessages).toEqual([
    "Used at least $1.00 of $10.00 for this session: a model has no price, or a transcript is missing or cannot be read.",
  ]);
  (await tool({ usd: 10, unpriced: "ask" }, "s2")).expectAsked("a model has no price");
  // A session or a project that is not found is not one that spent nothing.
  const elsewhere = { env: { ...world.env, CLAUDE_PROJECT_DIR: join(dir, "elsewhere") } };
  const perProject = createApp().include(budgetGuard({ usd: 10, per: "project", unpriced: "ask" }));
  (await testClient(perProject, elsewhere).preTool("Read", { file_path: "a" }, here)).expectAsked("for this project");
  expect((await tool({ usd: 10 }, "elsewhere")).systemMessages[0]).toMatch(
    /at least \$0\.00 .* a transcript is missing/,
  );
  // A message that figures are missing does not replace the warning near the budget.
  const late = testClient(createApp().include(budgetGuard({ usd: 1.1 })), world);
  const read = async () =>
    (await late.preTool("Read", { file_path: "a" }, { ...here, session_id: "s3" })).systemMessages;
  expect(await read()).toEqual([expect.stringContaining("at least $0.00")]);
  await write("agent/projects/-p/s3.jsonl", lines(call("m4", "claude-opus-5")));
  expect([await read(), await read()]).toEqual([["Used $1.00 of $1.10 for this session."], []]);
  const unread = { ...here, transcript_path: join(dir, "agent/projects/-p/elsewhere.jsonl") };
  const byTokens = testClient(createApp().include(budgetGuard({ tokens: 10 })), world);
  expect((await byTokens.preTool("Read", { file_path: "a" }, unread)).systemMessages[0]).toContain(
    "at least 0 of 10 tokens",
  );
  await write("state/usage.json", "{");
  expect(await tool({ usd: 10 })).toMatchObject({ decision: "none", continue: true });
  (await tool({ usd: 10, onFailure: "block" })).expectDenied("budget-guard failed");
});

test("kill-switch stops tools and prompts while its file exists, with the text in it", async () => {
  const { here, env, write, dir } = await project();
  const client = testClient(createApp().include(killSwitch()), { env });
  (await client.preTool("Bash", { command: "ls" }, here)).expectNoOpinion();
  const file = await write(".claude/STOP", "");
  (await client.preTool("Bash", { command: "ls" }, here)).expectHalted("Remove the file").expectDenied();
  await write(".claude/STOP", "Ana said stop.\n");
  (await client.prompt("go on", here)).expectBlocked("Ana said stop.");
  const { rm, mkdir } = await import("node:fs/promises");
  await rm(file);
  (await client.prompt("go on", here)).expectNoOpinion();
  // Something is there and cannot be read: it counts.
  await mkdir(join(dir, ".claude/STOP"));
  (await client.preTool("Bash", { command: "ls" }, here)).expectDenied("kill-switch failed");
  const past = testClient(createApp().include(killSwitch()), { env, replay: true });
  (await past.preTool("Bash", { command: "ls" }, here)).expectNoOpinion();
});

test("kill-switch: a dangling or circular link in place of the switch fails closed", async () => {
  const { here, env, write, dir } = await project();
  const client = testClient(createApp().include(killSwitch()), { env });
  await write(".claude/keep", "");
  for (const target of ["nowhere", "STOP"]) {
    const { rm, symlink } = await import("node:fs/promises");
    await symlink(target, join(dir, ".claude/STOP"));
    (await client.preTool("Bash", { command: "ls" }, here)).expectDenied("kill-switch failed");
    (await client.prompt("go on", here)).expectBlocked("kill-switch failed");
    await rm(join(dir, ".claude/STOP"));
  }
});

test("evaluator-gate sends back what another agent rejects, for some rounds, and lets the evaluator itself pass", async () => {
  const { here, env, write, read } = await project();
  const judge = await write(
    "judge.mjs",
    `import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("asked.txt", readFileSync(0, "utf8") + process.env.HOOKLINE_EVALUATOR_GATE);
console.log("I looked.\\n" + (readFileSync("verdict.txt", "utf8")));`,
  );
  const app = createApp().include(
    evaluatorGate({ rubric: "It has tests.", command: [process.execPath, judge], rounds: 1 }),
  );
  const client = testClient(app, { env });
  const stop = { ...here, last_assistant_message: "All done." };
  await write("verdict.txt", "PASS");
  (await client.stop(stop)).expectNoOpinion();
  expect(await read("asked.txt")).toMatch(
    /What must hold: It has tests\.\nWhat was said about it: All done\.[\s\S]*1$/,
  );
  await write("verdict.txt", "FAIL: no tests for parse()");
  (await client.stop(stop)).expectBlocked("no tests for parse()");
  (await client.stop({ ...stop, stop_hook_active: true })).expectNoOpinion();
  (await client.stop(stop)).expectBlocked("no tests for parse()");
  const inside = testClient(app, { env: { ...env, HOOKLINE_EVALUATOR_GATE: "1" } });
  expect((await inside.stop(stop)).trace).toMatchObject([{ outcome: "skipped" }]);
  // What counts is the last line; without a verdict there the gate is broken, which is reported.
  await write("verdict.txt", "FAIL would be too hard.\nPASS\n");
  (await client.stop(stop)).expectNoOpinion();
  await write("verdict.txt", "Please log in first.");
  expect((await client.stop(stop)).warnings).toMatchObject([{ code: "handler-failed" }]);
  const missing = testClient(createApp().include(evaluatorGate({ command: ["no-such-program"] })), { env });
  expect((await missing.stop(stop)).warnings).toMatchObject([{ code: "handler-failed" }]);
});

test("evaluator-gate judges a turn that another gate sent back, although an earlier turn used up its rounds", async () => {
  const { here, env, write } = await project();
  const judge = await write("judge.mjs", `console.log("FAIL: no tests")`);
  const app = createApp().include(evaluatorGate({ command: [process.execPath, judge], rounds: 1 }));
  const client = testClient(app, { env });
  (await client.stop({ ...here, prompt_id: "p1" })).expectBlocked("no tests");
  (await client.stop({ ...here, prompt_id: "p1", stop_hook_active: true })).expectNoOpinion();
  (await client.stop({ ...here, prompt_id: "p2", stop_hook_active: true })).expectBlocked("no tests");
});

test("clean-state reports a repository that git cannot read, and has no opinion outside a repository", async () => {
  const { here, env, write, commit } = await project({ "a.txt": "1" });
  await commit("all");
  const client = testClient(createApp().include(cleanState()), { env });
  await write(".git/index", "damaged");
  const { warnings } = await client.stop({ ...here, stop_hook_active: false });
  expect(warnings).toMatchObject([{ code: "handler-failed", message: expect.stringContaining("git status failed") }]);
  const elsewhere = await client.stop({ cwd: tmpdir(), stop_hook_active: false });
  expect(elsewhere.expectNoOpinion().warnings).toEqual([]);
});

test("clean-state blocks a stop while something is uncommitted, once per turn, and says what", async () => {
  const { here, env, write, commit } = await project({ "a.txt": "1", "notes/x.md": "1" });
  const app = createApp().include(cleanState({ ignore: [/^notes\//] }));
  const seen = captureEvents(app);
  const client = testClient(app, { env });
  (await client.stop({ ...here, stop_hook_active: false })).expectBlocked("a.txt");
  (await client.stop({ ...here, stop_hook_active: true })).expectNoOpinion();
  await commit("all");
  (await client.stop({ ...here, stop_hook_active: false })).expectNoOpinion();
  await write("notes/x.md", "2");
  (await client.stop({ ...here, stop_hook_active: false })).expectNoOpinion();
  await write("b.txt", "2");
  (await client.stop({ ...here, stop_hook_active: false })).expectBlocked("b.txt");
  expect(seen.of("custom").map(({ type, payload }) => ({ type, payload }))).toEqual([
    { type: "dirty", payload: { open: ["a.txt"] } },
    { type: "dirty", payload: { open: ["b.txt"] } },
  ]);
  const tracked = testClient(createApp().include(cleanState({ untracked: false, ignore: [/^notes/] })), { env });
  (await tracked.stop({ ...here, stop_hook_active: false })).expectNoOpinion();
});

test("long-running passes notes on and asks for new ones after edits", async () => {
  const { here, env, write, dir } = await project();
  const app = createApp().include(longRunning({ characters: 20 }));
  const client = testClient(app, { env });
  (await client.sessionStart(here)).expectContext("keep notes for the next one in PROGRESS.md");
  const notes = await write("PROGRESS.md", `${"old ".repeat(20)}the parser is next\n`);
  utimesSync(notes, 1, 1);
  (await client.sessionStart(here)).expectContext(/end with:\n.{0,2}the parser is next$/);
  (await client.preCompact(here)).expectContext("what is open");
  (await client.stop({ ...here, stop_hook_active: false })).expectNoOpinion();
  await client.postTool("Write", { file_path: join(dir, "a.ts"), content: "" }, {}, here);
  (await client.stop({ ...here, stop_hook_active: false })).expectBlocked("Write into PROGRESS.md");
  (await client.stop({ ...here, stop_hook_active: true })).expectNoOpinion();
  const later = Date.now() / 1000 + 5;
  utimesSync(notes, later, later);
  await client.postTool("Write", { file_path: notes, content: "" }, {}, here);
  (await client.stop({ ...here, stop_hook_active: false })).expectNoOpinion();
});

test("two strategies for Stop require a declared order", () => {
  const app = createApp().include(cleanState());
  expect(() => app.include(longRunning())).toThrow("both declare Stop");
  app.include(longRunning(), { onConflict: "order" });
  expect(app.strategies.map(({ name }) => name)).toEqual(["clean-state", "long-running"]);
});
