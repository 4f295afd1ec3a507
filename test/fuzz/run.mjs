/** `npm run fuzz:shell -- --lines N --seed S [--long]`: the shell fuzz at any length; `--long` is 100,000 lines. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { lines: { type: "string" }, seed: { type: "string" }, long: { type: "boolean" } },
});
const lines = values.lines ?? (values.long ? "100000" : "5000");
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000_000));
for (const [name, value] of Object.entries({ lines, seed })) {
  if (!/^\d+$/.test(value)) {
    process.stderr.write(`fuzz:shell: --${name} is a whole number, not "${value}"\n`);
    process.exit(1);
  }
}
const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, "run", "--root", root, "test/fuzz/shell.test.ts"], {
  stdio: "inherit",
  env: { ...process.env, FUZZ_LINES: lines, FUZZ_SEED: seed },
});
process.exit(status ?? 1);
