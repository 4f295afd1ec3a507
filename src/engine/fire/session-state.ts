import type { Outcome } from "../../protocol/internal.ts";
import type { AnyPayload } from "./payload.ts";

/** What one event of a session leaves behind for later ones. */
export interface SessionState {
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
export interface StopBlockCounter {
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
