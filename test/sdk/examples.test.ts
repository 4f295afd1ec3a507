import { expect, test } from "vitest";
import { protectSecrets } from "../../examples/hooks/protect-secrets.ts";
import { redactSecrets } from "../../examples/hooks/redact-secrets.ts";
import { testsBeforeStop } from "../../examples/hooks/tests-before-stop.ts";
import { createApp } from "../../src/sdk/index.ts";
import { testClient } from "../../src/sdk/testing/index.ts";

test("protect-secrets denies writing and asks before reading", async () => {
  const client = testClient(createApp().include(protectSecrets()));
  (await client.preTool("Write", { file_path: "/p/.env", content: "" })).expectDenied("/p/.env holds secrets");
  (await client.preTool("Read", { file_path: "/p/server.pem" })).expectAsked("server.pem");
  (await client.preTool("Read", { file_path: "/p/readme.md" })).expectNoOpinion();
});

test("redact-secrets masks every text of the output and keeps its shape", async () => {
  const client = testClient(createApp().include(redactSecrets()));
  const response = { stdout: `key AKIA${"A".repeat(16)} end`, stderr: "", interrupted: false };
  const masked = await client.postTool("Bash", { command: "env" }, response);
  expect(masked.output).toEqual({ updatedToolOutput: { ...response, stdout: "key [redacted] end" } });
  (await client.postTool("Bash", { command: "ls" }, { ...response, stdout: "a.txt" })).expectNoOpinion();
});

test("tests-before-stop asks for tests after an edit, once per turn", async () => {
  const client = testClient(createApp().include(testsBeforeStop()));
  (await client.stop({ stop_hook_active: false })).expectNoOpinion();
  await client.postTool("Write", { file_path: "a", content: "" }, {});
  (await client.stop({ stop_hook_active: false })).expectBlocked("Run them");
  (await client.stop({ stop_hook_active: true })).expectNoOpinion();
  await client.postTool("Bash", { command: "npm test" }, {});
  (await client.stop({ stop_hook_active: false })).expectNoOpinion();
});
