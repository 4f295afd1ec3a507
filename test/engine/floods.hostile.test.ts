import { expect, test } from "vitest";
import { bash, command, on, openIn } from "./world.ts";

const mebibyte = 1024 * 1024;

test.each([
  ["lines on stdout", "yes"],
  ["lines on stderr", "yes >&2"],
  ["zeros on both", "cat /dev/zero & exec cat /dev/zero >&2"],
])("a flood of %s is kept to 1 MiB and costs less than 64 MiB", async (_, flood) => {
  const settings = {
    hooks: { ...on("PreToolUse", command(flood, { timeout: 0.7 })).hooks, ...on("Stop", "true").hooks },
  };
  const { engine } = await openIn(settings);
  // What is loaded with the first hook is not the flood's.
  await engine.fire("Stop", {});
  const before = process.memoryUsage().rss;
  const { runs, warnings, decision } = await engine.fire("PreToolUse", bash);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * mebibyte);
  expect(decision).toBe("none");
  const [run] = runs;
  expect(run?.ended).toEqual({ by: "timeout", afterMs: 700 });
  expect((run?.stdout.length ?? 0) + (run?.stderr.length ?? 0)).toBeLessThanOrEqual(2 * mebibyte);
  expect(warnings.map(({ code }) => code)).toContain("output-cut");
});

test("each stream is kept to 1 MiB with a count of what was dropped", async () => {
  const { engine } = await openIn(on("PreToolUse", "head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2"));
  const { runs } = await engine.fire("PreToolUse", bash);
  expect(runs[0]).toMatchObject({
    ended: { by: "exit", code: 0 },
    droppedBytes: { stdout: 3_000_000 - mebibyte, stderr: 2_000_000 - mebibyte },
  });
  expect([runs[0]?.stdout.length, runs[0]?.stderr.length]).toEqual([mebibyte, mebibyte]);
});
