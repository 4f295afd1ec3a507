import { rm } from "node:fs/promises";
import { messageOf } from "../../protocol/internal.ts";
import { fileStamp } from "../load/build-cache.ts";
import { loadApp } from "../load/load-app.ts";
import { appendLog, lineForLog } from "../log/log-file.ts";
import type { LogRecord } from "../log/logger.ts";
import { guardExit } from "../run/guard-exit.ts";
import { startWatchdog, type Watchdog } from "../run/thread-watchdog.ts";

/**
 * The program that hooks start for work that must not delay them: `background-program.cjs work HOOKS_FILE` runs background tasks,
 * `build HOOKS_FILE NOTE` builds a hooks file for later starts, `sweep FOLDER` removes old state.
 */
const [verb, path = "", note = ""] = process.argv.slice(2);
if (verb === "work") void work(path);
else if (verb === "build") void build(path, note);
else if (verb === "sweep") void sweep(path);

async function sweep(folder: string): Promise<void> {
  const { sweepState } = await import("../state/state-files.ts");
  await sweepState(folder, Date.now());
}

/** The note says that a build was tried. It stays for a while if the build is killed: the next try would probably fail too. */
async function build(file: string, note: string): Promise<void> {
  const { buildAhead, endBuilds } = await import("../load/build-app.ts");
  setTimeout(() => process.exit(1), 60_000).unref();
  await buildAhead(file, process.env);
  await rm(note, { force: true });
  await endBuilds();
}

/** Runs the tasks of a hooks file and exits after a while without work. */
async function work(file: string): Promise<void> {
  const { env } = process;
  // One task must not end the others.
  const exit = guardExit(() => true);
  const log = (record: LogRecord) => appendLog({ ...record, transport: "worker" }, env, () => undefined);
  const recordOf = (level: "error" | "warn", message: string) => {
    return { time: new Date().toISOString(), event: "", level, message, transport: "worker" };
  };
  const note = (level: "error" | "warn", message: string) => log(recordOf(level, message));
  const warn = (message: string) => note("warn", message);
  const fail = (message: string) => {
    note("error", message);
    exit(1);
  };
  const ending = new AbortController();
  process.on("SIGTERM", () => ending.abort());
  process.on("SIGINT", () => ending.abort());
  // It is not known which task threw, so every running job counts as lost.
  process.on("uncaughtException", (error) => fail(`Uncaught exception in a task: ${messageOf(error)}`));
  process.on("unhandledRejection", (reason) => fail(`Unhandled rejection in a task: ${messageOf(reason)}`));

  const loaded = fileStamp(file);
  try {
    let watchdog: Watchdog | undefined;
    // As in `run`: code that blocks the thread while it loads is ended.
    const onImport = (ms: number, message: string) => {
      const why = `The worker for ${file} ended: ${message}`;
      const texts = () => [lineForLog(recordOf("error", why), env)];
      watchdog = startWatchdog({ ms, onLate: () => fail(why), failure: () => ({ texts: texts(), exitCode: 1 }), warn });
    };
    const app = await loadApp(file, { env, cwd: process.cwd(), onImport });
    watchdog?.stop();
    const { workTasks } = await import("./work-tasks.ts");
    await workTasks(app, {
      file,
      env,
      signal: ending.signal,
      idleMs: Number(env["HOOKLINE_WORKER_IDLE_MS"]) || 5_000,
      outdated: () => fileStamp(file) !== loaded,
      ...(app.options.log === false ? {} : { log }),
    });
  } catch (error) {
    fail(`The worker for ${file} ended: ${messageOf(error)}`);
  }
  // A task may have left timers and sockets open.
  exit(0);
}
