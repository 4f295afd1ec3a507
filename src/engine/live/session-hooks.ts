import {
  checkNamed,
  defined,
  type Hook,
  type HookRef,
  Problem,
  type RunRecord,
  showValue,
} from "../../protocol/internal.ts";
import type { Notice } from "../ports.ts";
import type { SessionState } from "../services.ts";
import type { MemoryHooks } from "./memory-hooks.ts";

/** Hooks of one session, of any type. They are kept in memory only. */
export interface SessionHooks<Event extends string = string> {
  /** Adds a hook for this session; returns a function that removes it. */
  register(event: Event, matcher: string | undefined, hook: Hook, options?: RegisterOptions): () => void;
  /** Reports that the session uses a skill. The hooks of the skill run until the session ends. */
  useSkill(name: string): void;
  /** Removes the hooks and skills of the session. Call it when the session has ended. */
  clear(): void;
}

/** Options of a hook of one session. */
export interface RegisterOptions {
  /** Called once per run that did not fail. If it throws, that becomes a warning. */
  readonly onSuccess?: (hook: HookRef, record: RunRecord) => void;
}

export function sessionHooks(sessionId: string, live: MemoryHooks, { skills, ranOnce }: SessionState): SessionHooks {
  checkSessionId(sessionId);
  return {
    register(event, matcher, hook, options = {}) {
      checkNamed("session.register", options, { onSuccess: undefined }, "hook/invalid");
      const group = { hooks: [hook], ...defined({ matcher: matcher ?? undefined }) };
      return live.add({ kind: "session", event, group, sessionId, ...options }).remove;
    },
    useSkill: (name) => skills.add(sessionId, name),
    clear() {
      live.clear(sessionId);
      skills.forget(sessionId);
      ranOnce.forget(sessionId);
    },
  };
}

/** Hooks registered for an id that no payload can have would never run. */
function checkSessionId(id: unknown): void {
  if (typeof id === "string" && id !== "") return;
  const message = `A session id must be a non-empty string, not ${showValue(id)}. Pass the session_id of its payloads.`;
  throw new Problem("engine/bad-option", message, { about: { option: "session" } });
}

/** Stop hooks that the user or the host adds at run time. Hooks of files are not included, and the model cannot add any. */
export interface StopHooks {
  /** Adds a hook for every session of the engine; use `session(id).register` for one session. Returns the id for `remove`. */
  add(hook: Hook): string;
  /** Removes a hook that `add` added. */
  remove(id: string): void;
  /** All hooks that `add` added. */
  list(): readonly HookRef[];
}

export function stopHooks(live: MemoryHooks, notify: (notice: Notice) => void): StopHooks {
  const added = new Map<string, { ref: HookRef; remove(): void }>();
  return {
    add(hook) {
      const onRun = (ref: HookRef, record: RunRecord): void => notify({ kind: "stop-hook-ran", hook: ref, record });
      const entry = live.add({ kind: "session", event: "Stop", group: { hooks: [hook] }, onRun });
      const [ref] = entry.refs;
      if (ref === undefined) throw new Problem("hook/invalid", "The stop hook cannot be used.");
      added.set(ref.id, { ref, remove: entry.remove });
      notify({ kind: "stop-hook-added", hook: ref });
      return ref.id;
    },
    remove(id) {
      const entry = added.get(id);
      if (entry === undefined) {
        const message = `No stop hook with the id ${id} was added at run time. Hooks of files cannot be removed here.`;
        throw new Problem("hook/unknown", message);
      }
      entry.remove();
      added.delete(id);
      notify({ kind: "stop-hook-removed", hook: entry.ref });
    },
    list: () => [...added.values()].map(({ ref }) => ref),
  };
}
