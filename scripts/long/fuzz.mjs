/** The part `fuzz`: `fuzz.mjs JOBS VITEST-ARGUMENTS…`. With more than one job, several processes share the lines of the shell fuzz. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { root, vitest } from "./parts.mjs";

const [jobs, ...args] = process.argv.slice(2);
const codes = Array.from({ length: Number(jobs) }, (_, job) => {
  const only = job === 0 ? [] : ["test/fuzz/shell.fuzz"];
  const env = { ...process.env, HOOKLINE_FUZZ_SHARE: `${job}/${jobs}` };
  return once(spawn(process.execPath, [vitest, "run", ...args, ...only], { cwd: root, env, stdio: "inherit" }), "exit");
});
process.exit((await Promise.all(codes)).every(([code]) => code === 0) ? 0 : 1);
