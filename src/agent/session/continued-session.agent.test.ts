import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openWorld } from "../fixtures/agent-run.ts";

test("a resumed session reports once the background subagents and commands that ended with the earlier process", async () => {
  const world = openWorld({ hooks: {} });
  const sessionId = randomUUID();
  const background = { run_in_background: true };
  const calls = [
    { id: "toolu_lost", tool: "Bash", input: { command: "sleep 65", description: "Wait", ...background } },
    { id: "toolu_done", tool: "Bash", input: { command: "true", description: "Quick", ...background } },
  ];
  const env = { ...world.env, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "1000" };
  const answers = [{ calls }, { text: "ok", times: "any" as const }];
  await world.run(answers, { prompt: "go", sessionId, env, permissionMode: "bypassPermissions" });
  const told = async () => {
    const { requests } = await world.run([{ text: "ok" }], { prompt: "next", resume: sessionId });
    return JSON.stringify(requests[0]?.messages).split("will not report").length - 1;
  };
  const sent = [await told(), await told()];
  expect(sent).toEqual([1, 1]);
  expect(JSON.stringify(world.transcript(sessionId))).toContain("<tool-use-id>toolu_lost</tool-use-id>");
});
