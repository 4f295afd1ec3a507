import { mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProcess } from "./internal.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "exec-")));
const base = { cwd, env: { ...process.env }, timeoutMs: 60_000 };
const sh = (command: string) => ({ form: "shell", command }) as const;

test("five megabytes of input for processes that do not read it leave no descriptor and no child", async () => {
  const input = "x".repeat(5_000_000);
  await runProcess(sh("exit 0"), { ...base, input });
  const before = readdirSync("/proc/self/fd").length;
  for (let round = 0; round < 25; round++) {
    const ways = ["exit 0", "exec <&-; exit 0", "exec <&-; sleep 0.05", "head -c 1 >/dev/null"];
    const all = await Promise.all(ways.map((way) => runProcess(sh(way), { ...base, input })));
    expect(all.map(({ ended }) => ended)).toEqual(Array(4).fill({ by: "exit", code: 0 }));
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readdirSync("/proc/self/fd").length).toBe(before);
});
