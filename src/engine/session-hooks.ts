import type { Hook, HookRef, RunRecord } from "../protocol/index.ts";
import type { LiveHooks } from "./live-hooks.ts";

/** Hooks that one session has and no file: any type, gone with the session. */
export interface SessionHooks {
  register(event: string, matcher: string | undefined, hook: Hook, options?: RegisterOptions): () => void;
  clear(): void;
}

export interface RegisterOptions {
  /** Called once per run that did not fail; what it throws is a warning. */
  readonly onSuccess?: (hook: HookRef, record: RunRecord) => void;
}

export function sessionHooks(sessionId: string, live: LiveHooks): SessionHooks {
  return {
    register(event, matcher, hook, { onSuccess } = {}) {
      const group = { hooks: [hook], ...(matcher === undefined ? {} : { matcher }) };
      return live.add({ kind: "session", event, group, sessionId, ...(onSuccess ? { onSuccess } : {}) }).remove;
    },
    clear: () => live.clear(sessionId),
  };
}
