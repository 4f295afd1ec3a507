import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { compileRules } from "../../../permissions/internal.ts";
import { type BoundedOptions, type BoundedRun, runBounded } from "./run-bounded.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "bounded-")));
const policy = compileRules([
  { scope: "user", allow: ["Bash(printf *)", "Bash(sleep *)", "Bash(head *)", "Bash(node *)"], deny: ["Bash(rm *)"] },
]);

function bounded(command: string, more: Partial<BoundedOptions> = {}): Promise<BoundedRun> {
  return runBounded(command, { policy, cwd, roots: [cwd], ...more });
}

test("a command whose parts are all allowed runs, and its output and exit status are returned", async () => {
  expect(await bounded("printf a; printf b >&2; printf c | head -c 1")).toEqual({
    started: true,
    stdout: "ac",
    stderr: "b",
    exit: 0,
    interrupted: false,
    warnings: [],
  });
});

test("a part that no rule allows keeps the whole command from starting", async () => {
  expect(await bounded("printf a; touch made")).toMatchObject({ started: false, decision: "ask" });
  expect(await bounded("printf a && rm -r x")).toMatchObject({ started: false, decision: "deny" });
  expect(await bounded("printf $(touch made)")).toMatchObject({ started: false });
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("a folder outside the roots is refused", async () => {
  await expect(bounded("printf a", { cwd: tmpdir() })).rejects.toMatchObject({ code: "path/outside" });
});

test("in a folder below its roots, rules on files of the root apply to a command", async () => {
  mkdirSync(join(cwd, "below"));
  writeFileSync(join(cwd, ".env"), "secret");
  const allow = [{ scope: "user", allow: ["Bash(cat *)"] }] as const;
  for (const rule of ["Read(.env)", "Read(./.env)", "Read(/.env)"]) {
    const strict = compileRules([...allow, { scope: "project", deny: [rule] }]);
    const run = await bounded("cat ../.env", { policy: strict, cwd: join(cwd, "below") });
    expect(run).toMatchObject({ started: false, decision: "deny" });
  }
  const free = await bounded("cat ../.env", { policy: compileRules(allow), cwd: join(cwd, "below") });
  expect(free).toMatchObject({ started: true, stdout: "secret" });
});

test("at its deadline the whole tree is ended", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const touches = compileRules([{ scope: "user", allow: ["Bash(printf *)", "Bash(touch *)", "Bash(sleep *)"] }]);
  const running = bounded("printf begun; touch up; sleep 600 | sleep 600", { policy: touches, timeoutMs: 300 });
  await expect.poll(() => existsSync(join(cwd, "up"))).toBe(true);
  await vi.advanceTimersByTimeAsync(301);
  vi.useRealTimers();
  const run = await running;
  expect(run).toMatchObject({ started: true, stdout: "begun", exit: null, interrupted: true });
});

test.runIf(process.platform === "linux")("a process that the command leaves in the background is ended", async () => {
  const run = await bounded("sleep 47 & printf %s $!");
  expect(run).toMatchObject({ exit: 0, interrupted: false, warnings: [expect.stringContaining("has been ended")] });
  const pid = run.started ? Number(run.stdout) : 0;
  expect(pid).toBeGreaterThan(1);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

/** A process that has ended and waits to be collected counts as gone. */
function isRunning(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, "utf8"));
}

test("output beyond the limit is dropped with a warning", async () => {
  const run = await bounded("printf 123456", { maxOutputBytes: 4 });
  expect(run).toMatchObject({ stdout: "1234", warnings: ["2 bytes of output were dropped"] });
});

test.runIf(process.platform === "linux")("memory beyond the limit is refused", async () => {
  expect(await bounded("printf done", { maxMemoryMb: 200 })).toMatchObject({ stdout: "done", exit: 0 });
  const greedy = await bounded("node -e 0", { maxMemoryMb: 50 });
  expect(greedy.started && greedy.exit).not.toBe(0);
});
