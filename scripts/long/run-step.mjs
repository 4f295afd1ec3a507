/** Runs one step of CI in a process group of its own, with its output in a log file, and ends the group at its limit. */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./parts.mjs";

const logs = join(root, "node_modules", ".cache", "ci");
const running = new Set();

/** `{ name, ok, outcome, seconds, counts, log }`; never rejects. */
export function runStep(name, { args, env = {}, limitMinutes }) {
  mkdirSync(logs, { recursive: true });
  const log = join(logs, `${name}.log`);
  const output = openSync(log, "w");
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", output, output],
      detached: true,
    });
    closeSync(output);
    running.add(child);
    let overLimit = false;
    const limit = setTimeout(() => {
      overLimit = true;
      endGroup(child);
    }, limitMinutes * 60_000);
    const settle = (code) => {
      clearTimeout(limit);
      running.delete(child);
      const ok = code === 0 && !overLimit;
      const outcome = overLimit ? `over its limit of ${limitMinutes} min` : ok ? "ok" : "FAILED";
      resolve({ name, ok, outcome, seconds: (performance.now() - startedAt) / 1_000, counts: countsIn(log), log });
    };
    child.once("error", () => settle(1));
    child.once("exit", settle);
  });
}

/** Ends every step that still runs. */
export function endAll() {
  for (const child of running) endGroup(child);
}

function endGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** What vitest counted, from its summaries; several runs in one log are several summaries. */
function countsIn(log) {
  const text = readFileSync(log, "utf8").replaceAll(/\x1b\[[\d;]*m/g, "");
  const summaries = [...text.matchAll(/^ *Tests +(.*\(\d+\))$/gm)];
  return summaries.map(([, counts]) => counts).join("; ");
}
