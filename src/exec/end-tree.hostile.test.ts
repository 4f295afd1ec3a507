import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLeftovers, runProcess } from "./internal.ts";

const cwd = mkdtempSync(join(tmpdir(), "exec-"));
const sh = (command: string) => ({ form: "shell", command }) as const;

test("one signal ends twenty running processes, and no warning is given", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  const controller = new AbortController();
  const value = `cancel-${process.pid}`;
  const all = Array.from({ length: 20 }, (_, index) =>
    runProcess(sh(index % 2 === 0 ? "sleep 60 & sleep 60" : "trap '' TERM; while :; do sleep 1; done"), {
      cwd,
      env: { ...process.env },
      tag: { name: "EXEC_TEST", value: `${value}-${index}` },
      timeoutMs: 60_000,
      graceMs: 500,
      signal: controller.signal,
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  const abortedAt = performance.now();
  controller.abort();
  const finished = await Promise.all(all);
  expect(performance.now() - abortedAt).toBeLessThan(3_000);
  expect(finished.map(({ ended, leaked }) => [ended, leaked])).toEqual(Array(20).fill([{ by: "cancelled" }, []]));
  expect(await findLeftovers("EXEC_TEST", value)).toEqual([]);
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});
