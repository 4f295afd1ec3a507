/**
 * `npm run bench -- [--check] [--margin PERCENT] [--only NAME]… [--long]`: every figure we promise, as ratios in one run.
 *
 * Each bench/<name>.bench.mjs exports `measure({ long, say })`, which returns rows { name, budget, figure, share, right }. `share` is the
 * measured value divided by its budget; `right` is false when a result was wrong. With --check a missed budget is exit 1. On a machine
 * that others use too, --margin tells a regression from noise: a figure over its budget by less than that is reported, but not an error.
 */
import { readdirSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    margin: { type: "string", default: "0" },
    only: { type: "string", multiple: true, default: [] },
  },
});

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".bench.mjs"))
  .map((file) => file.slice(0, -".bench.mjs".length))
  .filter((name) => values.only.length === 0 || values.only.includes(name));
const unknown = values.only.filter((name) => !names.includes(name));
if (unknown.length > 0) fail(`there is no bench called ${unknown.join(", ")}`);

const margin = Number(values.margin) / 100;
if (!(margin >= 0)) fail(`--margin takes a percentage, not ${values.margin}`);

console.log(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown processor"}`);
if (process.env["NODE_EXTRA_CA_CERTS"])
  console.log(
    "NODE_EXTRA_CA_CERTS is set: every start of Node reads certificates, so ratios to a bare start are lower than without it.",
  );
let missed = 0;
let close = 0;
for (const name of names) {
  console.log(`\n${name}`);
  const { measure } = await import(`./${name}.bench.mjs`);
  const rows = await measure({ long: values.long, say: (text) => process.stderr.write(`  … ${text}\n`) });
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const row of rows) {
    const verdict = verdictOf(row);
    if (verdict === "MISSED") missed++;
    if (verdict === "close") close++;
    console.log(`  ${verdict.padEnd(6)}  ${row.name.padEnd(width)}  ${row.figure}  (budget ${row.budget})`);
  }
}
if (close > 0) console.log(`\n${close} over budget by less than ${values.margin} %`);
console.log(missed === 0 ? "\nno budget missed" : `\n${missed} budgets missed`);
if (values.check && missed > 0) process.exit(1);

function verdictOf({ share = 0, right = true }) {
  if (!right || !(share <= 1 + margin)) return "MISSED";
  return share <= 1 ? "ok" : "close";
}

function fail(text) {
  console.error(`bench: ${text}`);
  process.exit(1);
}
