/**
 * `npm run fuzz:shell -- --lines N --seed S [--long] [--jobs J]`: the shell fuzz at any length; `--long` is 100,000 lines.
 * With `--jobs` several processes share the lines of one seed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { lines: { type: "string" }, seed: { type: "string" }, long: { type: "boolean" }, jobs: { type: "string" } },
});
const lines = values.lines ?? (values.long ? "100000" : "5000");
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000_000));
const jobs = values.jobs ?? "1";
for (const [name, value] of Object.entries({ lines, seed, jobs })) {
  if (!/^\d+$/.test(value)) {
    process.stderr.write(`fuzz:shell: --${name} is a whole number, not "${value}"\n`);
    process.exit(1);
  }
}
const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const share = Math.ceil(Number(lines) / Math.max(1, Number(jobs)));
const codes = [];
for (let first = 0; first < Number(lines); first += share) {
  const child = spawn(process.execPath, [vitest, "run", "--root", root, "test/fuzz/shell.fuzz.test.ts"], {
    stdio: "inherit",
    env: {
      ...process.env,
      FUZZ_SEED: seed,
      FUZZ_FIRST: String(first),
      FUZZ_LINES: String(Math.min(share, Number(lines) - first)),
    },
  });
  codes.push(once(child, "exit"));
}
process.exit((await Promise.all(codes)).every(([code]) => code === 0) ? 0 : 1);
