import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What starts programs and takes their time: compiled where a compiler is, else a shell. */
export function startTimer(folder) {
  const source = join(import.meta.dirname, "start-timer.c");
  const program = join(folder, "start-timer");
  const { status } = spawnSync("cc", ["-O2", "-o", program, source], { stdio: "ignore" });
  return status === 0 ? program : join(import.meta.dirname, "start-timer.bash");
}

/** Starts every program of `words` in turn, round after round, and gives name and milliseconds of each start. */
export function startsOf({ timer, folder, env, payload }, words, rounds) {
  const out = join(folder, `times-${process.hrtime.bigint()}.txt`);
  const lists = Object.entries(words).flatMap(([name, one], index) => [...(index > 0 ? ["--"] : []), name, ...one]);
  return new Promise((done, fail) => {
    const child = spawn(timer, [String(rounds), "0", payload, out, ...lists], { cwd: folder, env });
    child.on("error", fail);
    child.on("close", () => {
      const lines = readFileSync(out, "utf8").trim().split("\n");
      done(lines.map((line) => [line.split(" ")[0], Number(line.split(" ")[1]) / 1_000]));
    });
  });
}
