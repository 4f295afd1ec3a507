/**
 * `npm run test:long [-- PART… [PATH]… [--full] [--seed N] [--lines N] [--jobs N] [--client VERSION]]`: the long suite. Without a part all
 * parts run in the order of CI; `--list` names them. A word that is not a part filters the test files. The options after --full belong to the
 * parts fuzz and interop.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { commandOf, parts, root } from "./long/parts.mjs";
import { runAll } from "./long/run-all.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    seed: { type: "string" },
    lines: { type: "string" },
    jobs: { type: "string" },
    client: { type: "string" },
  },
});
const { full, list, client, ...numbers } = values;
for (const [name, value] of Object.entries(numbers)) {
  if (!/^\d+$/.test(value)) fail(`--${name} takes a whole number, not "${value}"`);
}
const selected = parts.filter(({ name }) => positionals.includes(name));
const filters = positionals.filter((word) => !selected.some(({ name }) => name === word));

if (list) printTable();
else if (selected.length > 0) runSelected();
else if (filters.length > 0)
  fail(`no part is called ${filters.join(", ")}. Parts: ${parts.map(({ name }) => name).join(", ")}`);
else await runAll({ full });

function runSelected() {
  const seed = numbers.seed ?? (full ? String(Math.floor(Math.random() * 1_000_000_000)) : undefined);
  if (seed !== undefined) process.stdout.write(`seed ${seed}\n`);
  const results = selected.map((part) => {
    const { args, env } = commandOf(part, { ...numbers, seed, full, client, filters });
    const startedAt = performance.now();
    const { status } = spawnSync(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: "inherit",
    });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    return {
      ok: status === 0,
      line: `${part.name.padEnd(16)} ${status === 0 ? "ok    " : "FAILED"} ${seconds.padStart(5)} s`,
    };
  });
  process.stdout.write(`\n${results.map(({ line }) => line).join("\n")}\n`);
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
}

function printTable() {
  for (const { name, shows, ci, full: whole } of parts) {
    process.stdout.write(`${name.padEnd(16)} ${shows}\n${" ".repeat(17)}CI: ${ci} · --full: ${whole}\n`);
  }
}

function fail(message) {
  process.stderr.write(`test:long: ${message}\n`);
  process.exit(2);
}
