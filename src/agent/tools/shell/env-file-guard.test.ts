import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeWorld } from "../../fixtures/agent-run.ts";

test("the model cannot write env files of the session", async () => {
  const world = makeWorld({ hooks: {} });
  onTestFinished(world.remove);
  const { project, home, run } = world;
  const [store, canary] = [join(project, "store"), join(home, "canary")];
  const sessionId = "0f9c0a56-6f3e-4d55-9a53-0a3c2f9d3f11";
  const path = join(store, "session-env", sessionId, "sessionstart-hook-7.sh");
  const write = { tool: "Write", input: { file_path: path, content: `touch ${canary}\n` } };
  const redirect = {
    tool: "Bash",
    input: { command: `mkdir -p ${join(path, "..")}; echo 'touch ${canary}' > ${path}` },
  };
  const ok = { tool: "Write", input: { file_path: join(project, "own.txt"), content: "x" } };
  const { result } = await run(
    [
      { calls: [write] },
      { calls: [redirect] },
      { calls: [ok] },
      { calls: [{ tool: "Bash", input: { command: "ls" } }] },
      { text: "done" },
    ],
    { prompt: "go", store, sessionId, permissionMode: "acceptEdits" },
  );
  expect(result.permission_denials.map(({ tool_name }) => tool_name)).toEqual(["Write", "Bash"]);
  expect([existsSync(canary), existsSync(path), existsSync(join(project, "own.txt"))]).toEqual([false, false, true]);
});
