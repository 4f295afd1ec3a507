/** The process that replays: one app, one line per event in, one line per answer out. Started by `player.ts`. */

import { writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { statePath } from "../../files/internal.ts";
import { messageOf } from "../../protocol/internal.ts";
import type { TaskBackend, WirePayload } from "../../sdk/index.ts";
import {
  type AppRuntime,
  defaultDeadline,
  guardExit,
  loadApp,
  openTranscript,
  type RunEnvironment,
} from "../../sdk/internal.ts";
import type { ChildReady, ChildSetup, ReplayQuestion, UncaughtError } from "../child-protocol.ts";
import { replayAnswer } from "./answer-summary.ts";
import { effectLog } from "./effect-log.ts";
import { refuseEffects } from "./refuse-effects.ts";
import { scratchState } from "./scratch-state.ts";

const exit = guardExit(() => true);
const lines = linesOf(process.stdin);
const hello = JSON.parse((await lines.next()).value ?? "{}") as ChildSetup;
const log = effectLog();
const strays: UncaughtError[] = [];
keepOpen();
const say = (line: unknown) => writeLine(hello.mark + JSON.stringify(line));
if (!hello.allowEffects) await refuseEffects(log);

const app = await load();
if (app !== undefined) {
  const folder = process.cwd();
  say({ ready: true, deadlineMs: longestDeadline(app), handlers: app.handlers?.() ?? [] } satisfies ChildReady);
  for await (const line of lines) {
    const { payload, at, project } = JSON.parse(line) as ReplayQuestion;
    // What the host would have set; the replay's own surroundings are those of another session.
    if (project === undefined) delete process.env["CLAUDE_PROJECT_DIR"];
    else process.env["CLAUDE_PROJECT_DIR"] = project;
    const noted: string[] = [];
    const settled = await app.dispatch(
      payload,
      worldOf(app, payload, at, (task) => void noted.push(task)),
    );
    await settled.dispose().catch((error: unknown) => console.error(`A provider was not disposed: ${String(error)}`));
    log.running(undefined);
    if (process.cwd() !== folder) process.chdir(folder);
    say(replayAnswer(settled, { effects: log.take(), tasks: noted, strays: strays.splice(0, 20) }));
    strays.length = 0;
  }
}
exit(0);

/** What an app prints, and what it leaves behind, must not reach the lines of answers. */
function keepOpen(): void {
  Object.defineProperty(process, "stdout", { get: () => process.stderr, configurable: true });
  const stray = (error: unknown) => {
    const handler = log.current ?? "(the app)";
    strays.push({ handler, error: `left an error behind: ${messageOf(error)}` });
  };
  process.on("uncaughtException", stray);
  process.on("unhandledRejection", stray);
}

async function load(): Promise<AppRuntime | undefined> {
  try {
    const loaded = await loadApp(hello.hooks, { env: process.env, cwd: hello.cwd });
    loaded.observe?.(({ kind, handler }) => {
      if (kind === "handler-start") log.running(handler);
    });
    return loaded;
  } catch (error) {
    const why = messageOf(error);
    say({ ready: false, why, effects: log.take() } satisfies ChildReady);
    return undefined;
  }
}

function longestDeadline(inside: AppRuntime): number {
  const deadlines = inside.describe().map(({ deadlineMs }) => deadlineMs);
  return deadlines.length === 0 ? defaultDeadline("PreToolUse") : Math.max(...deadlines);
}

function worldOf(
  inside: AppRuntime,
  payload: WirePayload,
  at: string | undefined,
  note: (task: string) => void,
): RunEnvironment {
  const time = Date.parse(at ?? "");
  const { stateDir } = inside.options;
  const base = {
    env: process.env,
    cwd: hello.cwd,
    now: () => (Number.isNaN(time) ? Date.now() : time),
  };
  const folders = {
    real: stateDir === undefined ? join(statePath({ env: process.env }), "state") : resolve(hello.cwd, stateDir),
    scratch: join(hello.scratch, "state"),
  };
  return {
    ...base,
    signal: new AbortController().signal,
    replay: true,
    openTranscript,
    state: scratchState(inside, payload, base, folders),
    tasks: notedTasks(note),
    complain: () => undefined,
  };
}

/** Whole lines of a stream. Not `readline`: that one takes further characters for line ends, which JSON may hold. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      pieces.push(rest.subarray(0, end));
      yield Buffer.concat(pieces).toString("utf8");
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  }
}

/** Contract: the line is handed over whole when it returns, however slow the reader. */
function writeLine(text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      // The pipe is full and does not block by itself.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Takes jobs and runs none: a replay only notes tasks, and they have no result. */
function notedTasks(note: (task: string) => void): TaskBackend {
  let count = 0;
  return {
    add: async ({ task }) => {
      note(task);
      count += 1;
      return `replay-${count}`;
    },
    get: async () => undefined,
    list: async () => [],
    take: async () => undefined,
    cancel: async () => false,
    wake: async () => undefined,
    claim: async () => undefined,
    beat: async () => false,
    finish: async () => false,
    close: async () => undefined,
  };
}
