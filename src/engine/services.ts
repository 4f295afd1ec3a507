import type { Hook, Outcome, RunRecord, Warning } from "../protocol/internal.ts";
import type { AnyPayload } from "./fire/payload.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Asker, Clock, Notice, Ports } from "./ports.ts";
import { type Background, background } from "./runners/background-hooks.ts";

/** What every event of an engine uses. */
export interface Services {
  readonly options: ResolvedOptions;
  readonly sessions: SessionState;
  readonly clock: Clock;
  /** Created when the first hook goes into the background. */
  readonly background: Background;
  /** Ends what still runs in the background, after `waitMs` of grace. */
  closeBackground(waitMs: number): Promise<void>;
  /** Contract: never rejects. Without a user to ask, on refusal, on cancel and when the asker fails the answer is undefined. */
  readonly ask: Asker;
  observe(record: RunRecord, payload: AnyPayload): void;
  /** A run in the background ended. */
  backgroundEnded(id: string, record: RunRecord): void;
  tell(notice: Notice): void;
  /** What comes up after its event was settled is reported with the next one. */
  warn(warning: Warning): void;
}

export interface ServiceParts {
  readonly sessions: SessionState;
  hooks(): readonly Hook[];
  warn(warning: Warning): void;
  /** Reports a run to the code that registered its hook. */
  ran(record: RunRecord): Warning | undefined;
}

export async function openServices(options: ResolvedOptions, parts: ServiceParts): Promise<Services> {
  const { observe } = options.ports;
  const tell = observe === undefined ? ignore : await openObserver(observe, options, parts);
  let hooksInBackground: Background | undefined;
  return {
    options,
    sessions: parts.sessions,
    tell,
    clock: options.ports.clock ?? steadyClock,
    get background() {
      hooksInBackground ??= background(parts.warn);
      return hooksInBackground;
    },
    async closeBackground(waitMs) {
      await hooksInBackground?.close(waitMs);
    },
    ask: oneAtATime(options.ports.asker),
    observe: observe
      ? (record, payload) =>
          tell({ kind: "run", record, event: record.hook.event, sessionId: String(payload["session_id"]) })
      : ignore,
    backgroundEnded(id, record) {
      tell({ kind: "background-ended", id, record });
      const warning = parts.ran(record);
      if (warning !== undefined) parts.warn(warning);
    },
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
  options: ResolvedOptions,
  { hooks, warn }: ServiceParts,
): Promise<(notice: Notice) => void> {
  const [{ observer }, { secretValues }] = await Promise.all([
    import("./safe-text/redact-notices.ts"),
    import("./safe-text/secrets.ts"),
  ]);
  let known: { hooks: readonly Hook[]; secrets: readonly string[] } | undefined;
  return observer({
    observe,
    content: options.observeContent,
    secrets: () => {
      const now = hooks();
      const same = known?.hooks.length === now.length && now.every((hook, index) => hook === known?.hooks[index]);
      if (known === undefined || !same) known = { hooks: now, secrets: secretValues(options.env, now) };
      return known.secrets;
    },
    onThrow: (error) => warn({ code: "observer-threw", message: `The observer threw: ${String(error)}` }),
  });
}

/** What one event of a session leaves behind for later ones. */
interface SessionState {
  readonly skills: SkillsInUse;
  /** Ids of hooks with `once` that have run. */
  readonly ranOnce: Set<string>;
  readonly stopBlocks: StopBlockCounter;
}

/** Which skills each session has used: their hooks run from then on. */
export interface SkillsInUse {
  use(sessionId: string, skill: string): void;
  has(sessionId: string, skill: string): boolean;
  forget(sessionId: string): void;
}

/** How often hooks made an agent continue, per session, prompt and agent. */
interface StopBlockCounter {
  /** Continuations in a row before this event. */
  count(payload: AnyPayload): number;
  note(payload: AnyPayload, outcome: Outcome): void;
  /** A new prompt starts at zero. */
  begin(payload: AnyPayload): void;
}

export function sessionState(): SessionState {
  return { skills: skillsInUse(), ranOnce: new Set(), stopBlocks: stopBlockCounter() };
}

function skillsInUse(): SkillsInUse {
  const used = new Map<string, Set<string>>();
  return {
    use(sessionId, skill) {
      const skills = used.get(sessionId) ?? new Set();
      used.set(sessionId, skills.add(skill));
    },
    has: (sessionId, skill) => used.get(sessionId)?.has(skill) === true,
    forget: (sessionId) => void used.delete(sessionId),
  };
}

function stopBlockCounter(): StopBlockCounter {
  const states = new Map<string, { prompt: unknown; count: number }>();
  return {
    count(payload) {
      const state = states.get(keyOf(payload));
      if (state === undefined || payload["stop_hook_active"] === false) return 0;
      const samePrompt = payload["prompt_id"] === undefined || state.prompt === payload["prompt_id"];
      return samePrompt ? state.count : 0;
    },
    note(payload, outcome) {
      const count = outcome.blocked ? (outcome.output.stopBlocks?.count ?? 0) : 0;
      if (count === 0) states.delete(keyOf(payload));
      else states.set(keyOf(payload), { prompt: payload["prompt_id"], count });
    },
    begin(payload) {
      const session = `${JSON.stringify(payload["session_id"])} `;
      for (const key of states.keys()) if (key.startsWith(session)) states.delete(key);
    },
  };
}

function keyOf(payload: AnyPayload): string {
  return `${JSON.stringify(payload["session_id"])} ${JSON.stringify(payload["agent_id"] ?? null)}`;
}
