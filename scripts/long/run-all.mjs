/**
 * Runs steps in the order of CI: the first ones one by one, and nothing more when one of them fails; then the time-critical parts alone; then
 * the others two at a time. Nothing is run twice. Prints a table at the end.
 */
import { readFileSync } from "node:fs";
import { commandOf, parts } from "./parts.mjs";
import { endAll, runStep } from "./run-step.mjs";

const results = [];

export async function runAll({ first = [], full = false }) {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop(signal));
  for (const { name, ...step } of first) {
    if (!(await run(name, step))) return finish();
  }
  const part = (row, workers) => {
    const limitMinutes = full ? 60 : row.limitMinutes;
    return run(row.name, { ...commandOf(row, { full, workers }), limitMinutes });
  };
  for (const row of parts.filter(({ alone }) => alone)) await part(row, 3);
  const queue = parts.filter(({ alone }) => !alone);
  const takeTurns = async () => {
    for (let row = queue.shift(); row !== undefined; row = queue.shift()) await part(row, 2);
  };
  await Promise.all([takeTurns(), takeTurns()]);
  finish();
}

async function run(name, step) {
  const result = await runStep(name, step);
  results.push(result);
  process.stdout.write(`${line(result)}\n`);
  return result.ok;
}

function finish() {
  const failed = results.filter(({ ok }) => !ok);
  for (const { name, log } of failed) {
    process.stdout.write(
      `\n— ${name}: the end of ${log}\n${readFileSync(log, "utf8").split("\n").slice(-80).join("\n")}\n`,
    );
  }
  process.stdout.write(`\n${results.map(line).join("\n")}\n`);
  const count = (word) => sum(results.flatMap(({ counts }) => [...counts.matchAll(new RegExp(`(\\d+) ${word}`, "g"))]));
  process.stdout.write(`tests: ${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped\n`);
  process.stdout.write(failed.length === 0 ? "all passed\n" : `failed: ${failed.map(({ name }) => name).join(", ")}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function sum(matches) {
  return matches.reduce((total, [, number]) => total + Number(number), 0);
}

function stop(signal) {
  endAll();
  process.stdout.write(`\n${signal}: ended before all parts had run\n${results.map(line).join("\n")}\n`);
  process.exit(1);
}

function line({ name, outcome, seconds, counts }) {
  return `${name.padEnd(16)} ${outcome.padEnd(10)} ${seconds.toFixed(0).padStart(5)} s  ${counts}`.trimEnd();
}
