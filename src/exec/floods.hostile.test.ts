import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runProcess } from "./internal.ts";

const base = { cwd: tmpdir(), env: { ...process.env }, input: "{}\n" };
const mebibyte = 2 ** 20;

/** How much larger this process was at most while something ran. */
async function growth<T>(work: Promise<T>): Promise<[T, number]> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const result = await work;
  clearInterval(sampling);
  return [result, peak - before];
}

test.each([
  ["stdout, in lines", "yes", "stdout"],
  ["stdout, without a line break", "cat /dev/zero", "stdout"],
  ["stderr", "cat /dev/zero >&2", "stderr"],
] as const)("a flood on %s costs under 64 MiB and is cut at the cap", async (_name, command, stream) => {
  const [finished, grewBytes] = await growth(
    runProcess({ form: "shell", command }, { ...base, timeoutMs: 1_000, onLine: () => "keep" }),
  );
  expect(finished.ended).toEqual({ by: "timeout", afterMs: 1_000 });
  expect(finished[stream].text.length).toBe(mebibyte);
  expect(finished[stream].droppedBytes).toBeGreaterThan(0);
  expect(grewBytes).toBeLessThan(64 * mebibyte);
});

test("a flood that ends is read to its end and its exit counts", async () => {
  const [finished, grewBytes] = await growth(
    runProcess({ form: "shell", command: "head -c 500000000 /dev/zero; exit 3" }, { ...base, timeoutMs: 600_000 }),
  );
  expect(finished.ended).toEqual({ by: "exit", code: 3 });
  expect(finished.stdout.droppedBytes).toBe(500_000_000 - mebibyte);
  expect(grewBytes).toBeLessThan(64 * mebibyte);
});
