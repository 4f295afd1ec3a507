import type { Outcome } from "../protocol/index.ts";
import type { AnyPayload } from "./payload.ts";

/** How often hooks made an agent go on, per session, prompt and agent. */
export interface Turns {
  /** Continuations in a row before this event. */
  count(payload: AnyPayload): number;
  note(payload: AnyPayload, outcome: Outcome): void;
  /** A new prompt starts afresh. */
  begin(payload: AnyPayload): void;
}

export function turns(): Turns {
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
