import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ProcessEnd, type RunningProcess, startProcess } from "../exec/internal.ts";
import { Problem } from "../protocol/internal.ts";
import type { AppHandler, ChildReady, ChildSetup, ReplayAnswer, ReplayQuestion } from "./child-protocol.ts";
import type { PastEvent } from "./past-event.ts";
import { replayEnv, replayProcess } from "./sandbox.ts";

export interface PlayerOptions {
  /** The hooks file, built already if it needs to be. */
  readonly hooks: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder of this player's own. */
  readonly scratch: string;
  readonly allowEffects: boolean;
  readonly signal: AbortSignal;
}

/** One app in a process of its own, asked about one event after another. */
export interface Player {
  readonly handlers: readonly AppHandler[];
  /** Contract: answers come in the order of the questions. A handler that ends or blocks the process is an answer too. */
  ask(event: PastEvent): Promise<ReplayAnswer>;
  close(): Promise<void>;
}

interface Question {
  readonly line: string;
  settle(said: ReplayAnswer): void;
  fail(problem: unknown): void;
}

/** The app gets its deadline and a little more; then it holds the thread, and nobody but us can end it. */
const spareMs = 3_000;
const loadMs = 60_000;
const mostEnds = 20;

export async function openPlayer(options: PlayerOptions): Promise<Player> {
  await mkdir(join(options.scratch, "tmp"), { recursive: true, mode: 0o700 });
  const open: Question[] = [];
  let ends = 0;
  let process: Process | undefined = await startChild();
  const { handlers } = process;

  async function startChild(): Promise<Process> {
    return openProcess(options, {
      answered: (said) => open.shift()?.settle(said),
      ended: (ended, tail) => void onProcessEnd(ended, tail),
      idle: () => open.length === 0,
    });
  }

  async function onProcessEnd(ended: ProcessEnd, tail: string): Promise<void> {
    process = undefined;
    open.shift()?.settle(lostAnswer(ended));
    ends += 1;
    try {
      options.signal.throwIfAborted();
      if (ends >= mostEnds) throw endless(ended, tail);
      if (open.length > 0) await again();
    } catch (problem) {
      for (const question of open.splice(0)) question.fail(problem);
    }
  }

  async function again(): Promise<void> {
    process = await startChild();
    for (const { line } of open) process.send(line);
  }

  return {
    handlers,
    ask(event) {
      const { payload, at, project } = event;
      const ask: ReplayQuestion = {
        payload,
        ...(at === undefined ? {} : { at }),
        ...(project === undefined ? {} : { project }),
      };
      const line = JSON.stringify(ask);
      return new Promise((settle, fail) => {
        open.push({ line, settle, fail });
        if (process !== undefined) process.send(line);
        // A process that is being started sends all open questions.
        else if (open.length === 1) again().catch(fail);
      });
    },
    close: async () => process?.close(),
  };
}

interface Process {
  readonly handlers: readonly AppHandler[];
  send(line: string): void;
  close(): Promise<void>;
}

interface Listener {
  answered(said: ReplayAnswer): void;
  ended(ended: ProcessEnd, tail: string): void;
  /** True when no question is open. */
  idle(): boolean;
}

async function openProcess(options: PlayerOptions, listener: Listener): Promise<Process> {
  const { scratch, allowEffects, cwd, hooks, signal } = options;
  const mark = `${randomUUID()} `;
  const hello: ChildSetup = { hooks, cwd, scratch, mark, allowEffects };
  let limitMs = Number.POSITIVE_INFINITY;
  let closing = false;
  let tellReady: ((ready: ChildReady) => void) | undefined;
  const ready = new Promise<ChildReady>((resolve) => {
    tellReady = resolve;
  });
  const running: RunningProcess = startProcess(replayProcess(scratch, allowEffects), {
    cwd,
    env: replayEnv(options.env, scratch),
    input: `${JSON.stringify(hello)}\n`,
    keepInputOpen: true,
    timeoutMs: loadMs,
    capBytes: 64 * 2 ** 20,
    signal,
    onLine(line, whole) {
      if (!whole) return "keep";
      // Everything else on stdout was written past us by the app.
      if (!line.startsWith(mark)) return "take";
      const told = JSON.parse(line.slice(mark.length)) as ChildReady | ReplayAnswer;
      if ("ready" in told) tellReady?.(told);
      else {
        listener.answered(told);
        running.setDeadline(listener.idle() ? Number.POSITIVE_INFINITY : limitMs);
      }
      return "take";
    },
  });
  const gone = running.done.then(({ ended, stderr }) => ({ ended, tail: stderr.text.trimEnd().slice(-2_000) }));
  const first = await Promise.race([ready, gone]);
  if ("ended" in first) throw noStart(hooks, `its process ended (${endText(first.ended)})`, first.tail);
  if (!first.ready) {
    running.endInput();
    await gone;
    throw noStart(hooks, first.why, first.effects.length > 0 ? effectHint : "");
  }
  limitMs = first.deadlineMs + spareMs;
  running.setDeadline(Number.POSITIVE_INFINITY);
  void gone.then(({ ended, tail }) => {
    if (!closing) listener.ended(ended, tail);
  });
  return {
    handlers: first.handlers,
    send(line) {
      running.write(`${line}\n`);
      running.setDeadline(limitMs);
    },
    async close() {
      closing = true;
      running.setDeadline(spareMs);
      running.endInput();
      await gone;
    },
  };
}

const effectHint = "It has effects when it is loaded; --allow-effects lets it have them.";

function noStart(hooks: string, why: string, more: string): Problem {
  const message = `${hooks} cannot be replayed: ${why}${more === "" ? "" : `\n${more}`}`;
  return new Problem("replay/no-app", message, { about: { hooks } });
}

function endless(ended: ProcessEnd, tail: string): Problem {
  const message = `The app ended its process ${mostEnds} times (last: ${endText(ended)}); the replay was aborted.\n${tail}`;
  return new Problem("replay/ended", message.trimEnd());
}

function endText(ended: ProcessEnd): string {
  if (ended.by === "exit") return `exit ${ended.code}`;
  if (ended.by === "timeout") return `no answer within ${Math.round(ended.afterMs / 1000)} s`;
  return ended.by === "signal" ? ended.signal : ended.by;
}

function lostAnswer(ended: ProcessEnd): ReplayAnswer {
  const why = `ended the process: ${endText(ended)}`;
  const handlers = [{ name: "(the app)", outcome: "failed", ms: 0, error: why } as const];
  return { decision: "none", handlers, print: `lost ${why}` };
}
