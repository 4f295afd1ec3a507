import { statSync } from "node:fs";
import { messageOf } from "../../protocol/internal.ts";
import { loadApp } from "../load/load-app.ts";
import { appendLog } from "../log/log-file.ts";
import type { LogRecord } from "../log/logger.ts";
import { guardEnds } from "../run/guard-exit.ts";
import { workTasks } from "./work-tasks.ts";

/** The program of a worker that hooks start: `worker.js HOOKS_FILE`. It ends by itself when there was nothing to do for a while. */
const [file = ""] = process.argv.slice(2);
const { env } = process;
// One task must not take those along that run beside it.
const exit = guardEnds(() => true);
const log = (record: LogRecord) => appendLog({ ...record, transport: "worker" }, env, () => undefined);
const fail = (message: string) => {
  log({ time: new Date().toISOString(), event: "", level: "error", message });
  exit(1);
};

const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());
process.on("SIGINT", () => ending.abort());
// Whose fault it was cannot be told, so every job that runs here counts as lost.
process.on("uncaughtException", (error) => fail(`A task threw where nobody could catch it: ${messageOf(error)}`));
process.on("unhandledRejection", (reason) => fail(`A task left a rejected promise behind: ${messageOf(reason)}`));

const stamp = () => {
  const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${size} ${mtimeMs}`;
};
const loaded = stamp();
try {
  const app = await loadApp(file, { env, cwd: process.cwd() });
  const { log: kept } = app.options;
  await workTasks(app, {
    file,
    env,
    signal: ending.signal,
    idleMs: Number(env["HOOKLINE_WORKER_IDLE_MS"]) || 5_000,
    outdated: () => stamp() !== loaded,
    ...(kept === false ? {} : { log }),
  });
} catch (error) {
  fail(`The worker for ${file} ended: ${messageOf(error)}`);
}
// A task may have left timers and sockets behind.
exit(0);
