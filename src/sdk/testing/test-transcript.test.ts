import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSession, validateSession } from "../../sessions/internal.ts";
import { block, context, createApp } from "../index.ts";
import { testClient, testProject, testTranscript } from "./index.ts";

const app = createApp().onStop(async (_event, ctx) => {
  const transcript = await ctx.transcript;
  const edits = await transcript.query().tool("Edit").count();
  const errors = await transcript.query().errors().count();
  return edits > 0 && errors > 0 ? block("Edited, and the tests fail.") : context(await transcript.finalText());
});

test("testTranscript makes a session that handlers query like a recorded one", async () => {
  const good = testTranscript().prompt("Fix it").text("Done.");
  (await testClient(app, { transcript: good }).stop()).expectContext("Done.");
  const bad = testTranscript()
    .prompt("Fix it")
    .tool("Edit", { file_path: "a.ts", old_string: "1", new_string: "2" })
    .tool("Bash", { command: "npm test" }, { error: "1 test failed" })
    .text("Done.");
  (await testClient(app, { transcript: bad }).stop()).expectBlocked("tests fail");
  const session = await bad.open();
  expect([(await session.stats()).turns, await session.query().tools().count()]).toEqual([1, 2]);
});

test("what testTranscript writes is a valid transcript with the data of tools", async () => {
  const project = await testProject();
  const path = testTranscript({ cwd: project.dir, sessionId: "s1" })
    .prompt("List")
    .tool("Bash", { command: "ls" }, { response: { stdout: "a\n", stderr: "" }, text: "a" })
    .write(join(project.dir, "deep/s1.jsonl"));
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(3);
  expect((await validateSession((await openSession(path)).place)).findings).toEqual([]);
  await project.remove();
});

test("testClient(app, { cwd }) is the folder that handlers see, and a payload's own cwd wins", async () => {
  const project = await testProject({ "a.txt": "a" });
  await project.commit("first");
  const seen: unknown[] = [];
  const looks = createApp().onSessionStart(async (_event, ctx) => {
    seen.push([ctx.cwd, ctx.projectDir, ctx.path("a.txt"), await ctx.git.branch().catch(String)]);
  });
  const client = testClient(looks, { cwd: project.dir });
  await client.sessionStart();
  await client.sessionStart({ cwd: "/elsewhere" });
  expect(seen).toEqual([
    [project.dir, project.dir, join(project.dir, "a.txt"), "main"],
    ["/elsewhere", "/elsewhere", "/elsewhere/a.txt", expect.stringContaining("/elsewhere: there is no such directory")],
  ]);
  await project.remove();
});

test("a transcript that is opened many times adds one listener to the process", async () => {
  const transcript = testTranscript().prompt("hi");
  await transcript.open();
  const before = process.listenerCount("exit");
  for (let at = 0; at < 12; at++) await transcript.open();
  expect(process.listenerCount("exit")).toBe(before);
});
