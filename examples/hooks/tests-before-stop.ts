/** Lets the agent stop only when tests ran after its last edit; asks for them once per turn. */
import { type Blueprint, block, blueprint } from "hookline/sdk";

export interface TestsBeforeStopOptions {
  /** What counts as running tests. */
  readonly command?: RegExp;
}

export function testsBeforeStop({
  command = /\b(npm|pnpm|yarn) (run )?test\b|\bpytest\b/,
}: TestsBeforeStopOptions = {}): Blueprint {
  const part = blueprint("tests-before-stop");
  part.postTool(["Write", "Edit"], async (_event, { state }) => void (await state.set("untested", true)));
  part.postTool("Bash", { when: ({ input }) => command.test(input.command) }, async (_event, { state }) => {
    await state.set("untested", false);
  });
  part.onStop(async ({ stopHookActive }, { state }) => {
    if (stopHookActive || !(await state.get("untested"))) return undefined;
    return block("Files changed since the tests last ran. Run them before you stop.");
  });
  return part;
}
