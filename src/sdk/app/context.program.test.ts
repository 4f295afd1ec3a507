import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../index.ts";
import { testClient, testProject } from "../testing/index.ts";

test("a git that hangs is ended after five seconds, and the handler fails with the reason", async () => {
  const project = await testProject();
  onTestFinished(() => project.remove());
  const git = await project.write("bin/git", "#!/bin/sh\nexec sleep 600\n");
  chmodSync(git, 0o755);
  const app = createApp().onPrompt({ name: "h" }, async (_event, { git }) => void (await git.head()));
  const client = testClient(app, { env: { PATH: `${dirname(git)}:${process.env["PATH"]}` } });
  const { trace } = await client.prompt("hi", { cwd: project.dir });
  expect(trace[0]).toMatchObject({
    outcome: "failed",
    error: expect.stringMatching(/^git rev-parse failed in .*: timed out after 5000 ms/),
  });
});
