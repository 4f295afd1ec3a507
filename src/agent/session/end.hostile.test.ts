import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../fixtures/agent-run.ts";

test("a SessionEnd hook, a command and one in the background that ignore TERM are killed with the session", async () => {
  const stubborn = (name: string) => `trap '' TERM; echo $$ > ${name}; while :; do sleep 0.1; done`;
  const world = makeWorld({
    hooks: { SessionEnd: { run: stubborn("hook.pid") } },
    settings: { permissions: { allow: ["Bash"] } },
  });
  try {
    const ending = new AbortController();
    const calls = [
      { tool: "Bash", input: { command: stubborn("background.pid"), run_in_background: true } },
      { tool: "Bash", input: { command: stubborn("command.pid") } },
    ];
    // With the product's own limit for SessionEnd hooks.
    const { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: _, ...env } = world.env;
    const options = { prompt: "go", signal: ending.signal, permissionMode: "bypassPermissions", env } as const;
    const run = world.run([{ calls }], options);
    const file = (name: string) => join(world.project, `${name}.pid`);
    const started = ["background", "command"];
    await expect.poll(() => started.every((name) => existsSync(file(name)))).toBe(true);
    const asked = performance.now();
    ending.abort(new Error("SIGTERM"));
    const { result } = await run;
    // The limit itself is tested above, on a clock of its own.
    expect(performance.now() - asked).toBeLessThan(8_000);
    expect(result.terminal_reason).toBe("interrupted");
    for (const name of [...started, "hook"]) {
      const pid = Number(readFileSync(file(name), "utf8"));
      await expect.poll(() => isThere(pid)).toBe(false);
    }
  } finally {
    world.remove();
  }
});

/** A killed process is there until it is collected. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No process has this pid any more.
    return false;
  }
}
