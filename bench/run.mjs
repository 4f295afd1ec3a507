/**
 * `npm run bench -- [--check] [--only NAME]… [--long]`: every figure we promise, as ratios in one run.
 *
 * Each bench/<name>.bench.mjs exports `measure({ long, say })`, which gives rows { name, budget, figure, ok }. With --check a missed
 * budget is exit 1.
 */
import { readdirSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
  },
});

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".bench.mjs"))
  .map((file) => file.slice(0, -".bench.mjs".length))
  .filter((name) => values.only.length === 0 || values.only.includes(name));
const unknown = values.only.filter((name) => !names.includes(name));
if (unknown.length > 0) fail(`there is no bench called ${unknown.join(", ")}`);

console.log(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown processor"}`);
let missed = 0;
for (const name of names) {
  console.log(`\n${name}`);
  const { measure } = await import(`./${name}.bench.mjs`);
  const rows = await measure({ long: values.long, say: (text) => process.stderr.write(`  … ${text}\n`) });
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const row of rows) {
    if (!row.ok) missed++;
    console.log(`  ${row.ok ? "ok    " : "MISSED"}  ${row.name.padEnd(width)}  ${row.figure}  (budget ${row.budget})`);
  }
}
console.log(missed === 0 ? "\nall budgets met" : `\n${missed} budgets missed`);
if (values.check && missed > 0) process.exit(1);

function fail(text) {
  console.error(`bench: ${text}`);
  process.exit(1);
}
