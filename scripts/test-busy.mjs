/** `npm run test:busy`: three runs of the tests next to 20 busy processes. Every run must pass: no test may depend on the speed of the machine. */
import { spawn, spawnSync } from "node:child_process";
import { root, vitest } from "./long/parts.mjs";

const busy = Array.from({ length: 20 }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
const endBusy = () => {
  for (const child of busy) child.kill("SIGKILL");
};
process.once("exit", endBusy);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const runs = [1, 2, 3].map((run) => {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, [vitest, "run"], { cwd: root, stdio: "inherit" });
  return {
    ok: status === 0,
    line: `run ${run}  ${status === 0 ? "ok" : "FAILED"}  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
  };
});
process.stdout.write(`\n${runs.map(({ line }) => line).join("\n")}\n`);
process.exit(runs.every(({ ok }) => ok) ? 0 : 1);
