/**
 * `npm run test:kill`: the trials that take too long for every run of the tests. Writers are killed 1,000 times (--trials N), every
 * file operation of append, replace, fork, repair, migrate, archive, settings and the index of usage fails or is the last one, crowds
 * of processes write one file, daemons are killed 200 times in the middle of a request, and fifty starts at once end with one. The
 * reference agent is killed 200 times while it works. State and task queues are shown in 100 rounds each.
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const at = process.argv.indexOf("--trials");
const trials = at < 0 ? "1000" : process.argv[at + 1];
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const parts = [
  "kill",
  "append",
  "replace",
  "lock",
  "store",
  "store-crash",
  "fork",
  "repair",
  "migrate",
  "archive",
  "same-bytes",
  "client-in-place",
];
const others = [
  "test/conformance/command-line.program.test.ts",
  "test/daemon/request.kill.test.ts",
  "test/daemon/life.test.ts",
  "test/daemon/tasks.test.ts",
  "test/host/agent.kill.test.ts",
  "src/sdk/state/state.test.ts",
  "src/sdk/tasks/queue.test.ts",
  "src/engine/settings/edit.test.ts",
  "src/usage/cache/damage.kill.test.ts",
];
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--testTimeout=3600000", ...parts.flatMap(filesOf), ...others],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, HOOKLINE_TRIALS: trials, HOOKLINE_RUNS: "1000" },
  },
);
process.exit(status ?? 1);

function filesOf(part) {
  return ["files", "sessions", "install"].map((module) => `src/${module}/${part}.test.ts`);
}
