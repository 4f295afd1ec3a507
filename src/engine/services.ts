import type { Hook, Outcome, RunRecord, Warning } from "../protocol/internal.ts";
import type { AnyPayload } from "./fire/payload.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Asker, Clock, Notice, Ports } from "./ports.ts";
import { type Background, background } from "./runners/background-hooks.ts";

export interface ServiceParts {
  readonly sessions: SessionState;
  hooks(): readonly Hook[];
  warn(warning: Warning): void;
  /** Reports a run to the code that registered its hook. */
  ran(record: RunRecord, sessionId: string): Warning | undefined;
}

export type Services = Awaited<ReturnType<typeof openServices>>;

/** What every event of an engine uses. */
export async function openServices(options: ResolvedOptions, parts: ServiceParts) {
  const { observe } = options.ports;
  const tell = observe === undefined ? ignore : await openObserver(observe, options, parts);
  let hooksInBackground: Background | undefined;
  return {
    options,
    sessions: parts.sessions,
    tell,
    clock: options.ports.clock ?? steadyClock,
    /** Created when the first hook goes into the background. */
    get background(): Background {
      hooksInBackground ??= background(parts.warn);
      return hooksInBackground;
    },
    /** Ends what still runs in the background, after `waitMs` of grace. */
    async closeBackground(waitMs: number): Promise<void> {
      await hooksInBackground?.close(waitMs);
    },
    /** Contract: never rejects. Without a user to ask, on refusal, on cancel and when the asker fails the answer is undefined. */
    ask: oneAtATime(options.ports.asker),
    observe: observe
      ? (record: RunRecord, payload: AnyPayload): void =>
          tell({ kind: "run", record, event: record.hook.event, sessionId: String(payload["session_id"]) })
      : ignore,
    /** A run in the background ended. */
    backgroundEnded(id: string, record: RunRecord, sessionId: string): void {
      tell({ kind: "background-ended", id, record });
      const warning = parts.ran(record, sessionId);
      if (warning !== undefined) parts.warn(warning);
    },
    /** What comes up after its event was settled is reported with the next one. */
    warn: parts.warn,
  };
}

/** Never goes back, and finer than a millisecond. */
const steadyClock: Clock = { now: () => performance.timeOrigin + performance.now() };

const ignore = (): void => undefined;

/** Puts the questions of all hooks of an engine to the user one at a time, in order of arrival. */
function oneAtATime(asker: Asker | undefined): Asker {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    if (asker === undefined) return Promise.resolve(undefined);
    const answer = last.then(() => (signal.aborted ? undefined : asker(question, signal))).catch(() => undefined);
    last = answer;
    return answer;
  };
}

/** Loaded for hosts that observe: notices are redacted first. */
async function openObserver(
  observe: NonNullable<Ports["observe"]>,
  { observeContent: content, env }: ResolvedOptions,
  { hooks, warn }: ServiceParts,
): Promise<(notice: Notice) => void> {
  const { observer } = await import("./safe-text/redact-notices.ts");
  const onThrow = (error: unknown): void =>
    warn({ code: "observer-threw", message: `The observer threw: ${String(error)}` });
  return observer({ observe, content, env, hooks, onThrow });
}

/** What one event of a session leaves for later ones. */
export function sessionState() {
  /** Names of skills that were used, whose hooks run from then on, and ids of hooks that have run. */
  return { skills: namesBySession(), ranOnce: namesBySession(), stopBlocks: stopBlockCounter() };
}

export type SessionState = ReturnType<typeof sessionState>;

function namesBySession() {
  const names = new Map<string, Set<string>>();
  return {
    add(sessionId: string, name: string): void {
      const known = names.get(sessionId) ?? new Set();
      names.set(sessionId, known.add(name));
    },
    has: (sessionId: string, name: string): boolean => names.get(sessionId)?.has(name) === true,
    forget: (sessionId: string): void => void names.delete(sessionId),
  };
}

/** How often hooks made an agent continue, per session, prompt and agent. */
function stopBlockCounter() {
  const states = new Map<string, { prompt: unknown; count: number }>();
  return {
    /** Continuations in a row before this event. */
    count(payload: AnyPayload): number {
      const state = states.get(keyOf(payload));
      if (state === undefined || payload["stop_hook_active"] === false) return 0;
      const samePrompt = payload["prompt_id"] === undefined || state.prompt === payload["prompt_id"];
      return samePrompt ? state.count : 0;
    },
    note(payload: AnyPayload, outcome: Outcome): void {
      const count = outcome.blocked ? (outcome.output.stopBlocks?.count ?? 0) : 0;
      if (count === 0) states.delete(keyOf(payload));
      else states.set(keyOf(payload), { prompt: payload["prompt_id"], count });
    },
    /** A new prompt starts at zero. */
    begin(sessionId: string): void {
      const session = `${JSON.stringify(sessionId)} `;
      for (const key of states.keys()) if (key.startsWith(session)) states.delete(key);
    },
  };
}

function keyOf(payload: AnyPayload): string {
  return `${JSON.stringify(String(payload["session_id"]))} ${JSON.stringify(payload["agent_id"] ?? null)}`;
}
