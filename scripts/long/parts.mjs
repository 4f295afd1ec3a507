/** The parts of the long suite: the table of test/long-parts.json, and how each part is started. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { clients } from "../suites/client-version.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
export const parts = JSON.parse(readFileSync(join(root, "test", "long-parts.json"), "utf8"));

/**
 * The arguments for node, and the variables to set. `filters` are paths, as vitest takes them. `workers` limits how many test files run at
 * the same time.
 */
export function commandOf(part, { full = false, filters = [], seed, lines, jobs, client, workers = 3 } = {}) {
  const env = {
    HOOKLINE_TEST_SIZE: full ? "full" : "ci",
    ...(seed === undefined ? {} : { HOOKLINE_SEED: seed }),
    ...(lines === undefined ? {} : { HOOKLINE_FUZZ_LINES: lines }),
  };
  return { args: argumentsOf(), env };

  function argumentsOf() {
    if (part.name === "bench") return ["bench/run.mjs", "--check", ...(full ? ["--long"] : ["--margin", "150"])];
    if (part.name === "nodes") return ["scripts/long/nodes.mjs", ...(full ? ["--full"] : []), ...filters];
    if (part.name === "interop-newest")
      return ["scripts/suites/interop.mjs", "--client", client ?? clients.newest, ...filters];
    if (part.name === "interop-oldest")
      return ["scripts/suites/interop.mjs", "--client", client ?? clients.oldest, ...filters];
    const workersArgument = `--maxWorkers=${part.workers ?? workers}`;
    const test = ["--config", "vitest.long.config.ts", "--project", part.name, workersArgument, ...filters];
    if (part.name === "fuzz") return ["scripts/long/fuzz.mjs", jobs ?? (full ? "2" : "1"), ...test];
    return [vitest, "run", ...test];
  }
}
