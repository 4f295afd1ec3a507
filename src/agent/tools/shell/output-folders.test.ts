import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeWorld } from "../../fixtures/agent-run.ts";

/** Runs one command and lists the temporary folder afterwards. */
async function left(input: Readonly<Record<string, unknown>>, persist: boolean): Promise<readonly string[]> {
  const world = makeWorld({ hooks: {} });
  onTestFinished(world.remove);
  const temp = join(dirname(world.project), "temp");
  mkdirSync(temp);
  const { result } = await world.run([{ calls: [{ tool: "Bash", input }] }, { times: "any", text: "done" }], {
    prompt: "go",
    persist,
    permissionMode: "bypassPermissions",
    env: { ...world.env, TMPDIR: temp, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "300" },
  });
  expect(result).toMatchObject({ result: "done", is_error: false });
  return readdirSync(temp, { recursive: true, encoding: "utf8" }).map((name) => name.replace(/.*\//, ""));
}

test("a session leaves no empty output directory of its own", async () => {
  const shared = `hookline-${process.getuid?.() ?? "user"}`;
  expect(await left({ command: "echo one" }, true)).toEqual([shared]);
  expect(await left({ command: "exit 3" }, true)).toEqual([shared]);
});

test("what a background command printed can be read after the session, unless the session is not saved", async () => {
  const input = { command: "echo one; sleep 65", run_in_background: true };
  expect((await left(input, true)).filter((name) => name.endsWith(".output"))).toHaveLength(1);
  expect(await left(input, false)).toEqual([]);
});
