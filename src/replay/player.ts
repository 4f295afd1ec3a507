import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ProcessEnd, type RunningProcess, startProcess } from "../exec/internal.ts";
import { Problem } from "../protocol/internal.ts";
import type { ChildReady, ChildSetup, HandlerStart, ReplayAnswer, ReplayQuestion } from "./child-protocol.ts";
import type { PastEvent } from "./past-event.ts";
import { replayEnv, replayProcess } from "./sandbox.ts";

/** Contract: the hooks file is built if it needs a build, and no other player uses the scratch folder. */
interface PlayerOptions extends Omit<ChildSetup, "mark"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export type Player = Awaited<ReturnType<typeof openPlayer>>;

interface PendingEvent {
  readonly name: string;
  readonly line: string;
  settle(answer: ReplayAnswer): void;
  fail(problem: unknown): void;
}

/** Added to the app's own deadline. An app that is still silent then blocks its event loop and is ended. */
const spareMs = 3_000;
const loadMs = 60_000;
const mostEnds = 20;

/** An app in its own process, which answers one event after another. */
export async function openPlayer(options: PlayerOptions) {
  await mkdir(join(options.scratch, "tmp"), { recursive: true, mode: 0o700 });
  const open: PendingEvent[] = [];
  let ends = 0;
  let child: AppProcess | undefined = await startChild();
  const { handlers } = child;

  function startChild(): Promise<AppProcess> {
    return startApp(options, {
      onAnswer: (answer) => open.shift()?.settle(answer),
      onEnd: (lost, stderr) => void afterEnd(lost, stderr),
      isIdle: () => open.length === 0,
    });
  }

  async function afterEnd({ ended, handler }: LostProcess, stderr: string): Promise<void> {
    const isGuarded = (event: string) => child?.guarded.includes(event) === true;
    const first = open.shift();
    if (first !== undefined) first.settle(lostAnswer(ended, handler, isGuarded(first.name) ? first.name : undefined));
    child = undefined;
    ends += 1;
    try {
      options.signal.throwIfAborted();
      if (ends >= mostEnds) throw endsTooOften(ended, stderr);
      if (open.length > 0) await restart();
    } catch (problem) {
      for (const question of open.splice(0)) question.fail(problem);
    }
  }

  async function restart(): Promise<void> {
    child = await startChild();
    for (const { line } of open) child.send(line);
  }

  return {
    handlers,
    /** Contract: answers arrive in the order of the calls. A handler that ends or blocks the process also yields an answer. */
    ask({ name, payload, at, project }: PastEvent): Promise<ReplayAnswer> {
      // JSON leaves out what is undefined.
      const line = JSON.stringify({ payload, at, project } satisfies ReplayQuestion);
      return new Promise((settle, fail) => {
        open.push({ name, line, settle, fail });
        if (child !== undefined) child.send(line);
        // A restart in progress sends every open question.
        else if (open.length === 1) restart().catch(fail);
      });
    },
    close: async (): Promise<void> => child?.close(),
  };
}

type AppProcess = Awaited<ReturnType<typeof startApp>>;

interface AppListener {
  onAnswer(answer: ReplayAnswer): void;
  /** Called with the end of stderr. */
  onEnd(lost: LostProcess, stderr: string): void;
  /** Whether no question is open. */
  isIdle(): boolean;
}

interface LostProcess {
  readonly ended: ProcessEnd;
  /** The last handler that is known to have started. */
  readonly handler: string | undefined;
}

/** Starts the process and resolves when the app is loaded. Contract: an app that cannot be loaded is a `Problem`. */
async function startApp(options: PlayerOptions, listener: AppListener) {
  const { scratch, allowEffects, cwd, hooks, signal } = options;
  const mark = `${randomUUID()} `;
  const setup: ChildSetup = { hooks, cwd, scratch, mark, allowEffects };
  let limitMs = Number.POSITIVE_INFINITY;
  let isClosing = false;
  let handler: string | undefined;
  let onReady: ((ready: ChildReady) => void) | undefined;
  const ready = new Promise<ChildReady>((resolve) => {
    onReady = resolve;
  });
  const running: RunningProcess = startProcess(replayProcess(scratch, allowEffects), {
    cwd,
    env: replayEnv(options.env, scratch),
    input: `${JSON.stringify(setup)}\n`,
    keepInputOpen: true,
    timeoutMs: loadMs,
    capBytes: 64 * 2 ** 20,
    signal,
    onLine(line, whole) {
      if (!whole) return "keep";
      // A line without the mark was printed by the app.
      if (!line.startsWith(mark)) return "take";
      const message = JSON.parse(line.slice(mark.length)) as ChildReady | HandlerStart | ReplayAnswer;
      if ("ready" in message) onReady?.(message);
      else if ("starts" in message) handler = message.starts;
      else {
        handler = undefined;
        listener.onAnswer(message);
        running.setDeadline(listener.isIdle() ? Number.POSITIVE_INFINITY : limitMs);
      }
      return "take";
    },
  });
  const end = running.done.then(({ ended, stderr }) => ({ ended, stderr: stderr.text.trimEnd().slice(-2_000) }));
  const first = await Promise.race([ready, end]);
  if ("ended" in first) throw cannotReplay(hooks, `its process ended (${endText(first.ended)})`, first.stderr);
  if (!first.ready) {
    running.endInput();
    await end;
    throw cannotReplay(hooks, first.why, first.effects.length > 0 ? effectHint : "");
  }
  limitMs = first.deadlineMs + spareMs;
  running.setDeadline(Number.POSITIVE_INFINITY);
  void end.then(({ ended, stderr }) => {
    if (!isClosing) listener.onEnd({ ended, handler }, stderr);
  });
  return {
    handlers: first.handlers,
    guarded: first.guarded,
    send(line: string): void {
      running.write(`${line}\n`);
      running.setDeadline(limitMs);
    },
    async close(): Promise<void> {
      isClosing = true;
      running.setDeadline(spareMs);
      running.endInput();
      await end;
    },
  };
}

const effectHint = "It has effects while it is loaded; --allow-effects permits them.";

function cannotReplay(hooks: string, why: string, more: string): Problem {
  const message = `${hooks} cannot be replayed: ${why}${more === "" ? "" : `\n${more}`}`;
  return new Problem("replay/no-app", message, { about: { hooks } });
}

function endsTooOften(ended: ProcessEnd, stderr: string): Problem {
  const message = `The app ended its process ${mostEnds} times (last: ${endText(ended)}); the replay was aborted.\n${stderr}`;
  return new Problem("replay/ended", message.trimEnd());
}

function endText(ended: ProcessEnd): string {
  if (ended.by === "exit") return `exit ${ended.code}`;
  if (ended.by === "timeout") return `timed out after ${Math.round(ended.afterMs / 1000)} s`;
  return ended.by === "signal" ? ended.signal : ended.by;
}

/** `guarded` is the event, if a failure blocks it: as in production, a handler that blocks the event loop or ends its process then denies. */
function lostAnswer(ended: ProcessEnd, handler: string | undefined, guarded: string | undefined): ReplayAnswer {
  const isLate = ended.by === "timeout";
  const error = isLate ? "it blocked the event loop past its deadline" : `ended the process: ${endText(ended)}`;
  const name = handler ?? "(the app)";
  const handlers = [{ name, outcome: isLate ? "timed-out" : "failed", ms: isLate ? ended.afterMs : 0, error } as const];
  const fingerprint = `lost ${error}`;
  if (guarded === undefined) return { decision: "none", handlers, fingerprint };
  const decision = guarded === "PreToolUse" ? "deny" : "block";
  return { decision, reason: `${name} failed: ${error}`, handlers, fingerprint };
}
