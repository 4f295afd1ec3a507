import { type Hook, type HookRef, isObject, Problem, type RunRecord, showValue } from "../../protocol/internal.ts";
import type { Notice } from "../ports.ts";
import type { SkillsInUse } from "../services.ts";
import type { MemoryHooks } from "./memory-hooks.ts";

/** Hooks of one session, of any type, in memory only. */
export interface SessionHooks<Event extends string = string> {
  register(event: Event, matcher: string | undefined, hook: Hook, options?: RegisterOptions): () => void;
  /** Records that the session used a skill: the hooks of the skill run until the session ends. */
  useSkill(name: string): void;
  /** Call it when the session has ended: its hooks and skills are forgotten. */
  clear(): void;
}

/** Options of a hook of one session. */
export interface RegisterOptions {
  /** Called once per run that did not fail; what it throws is a warning. */
  readonly onSuccess?: (hook: HookRef, record: RunRecord) => void;
}

export function sessionHooks(sessionId: string, live: MemoryHooks, skills: SkillsInUse): SessionHooks {
  checkId(sessionId);
  return {
    register(event, matcher, hook, options = {}) {
      const unknown = isObject(options)
        ? Object.keys(options).find((name) => name !== "onSuccess")
        : showValue(options);
      if (unknown !== undefined) {
        const message = `The options of a hook of a session are { onSuccess }, not ${unknown}.`;
        throw new Problem("hook/invalid", message, { about: { event } });
      }
      const { onSuccess } = options;
      const group = { hooks: [hook], ...(matcher === undefined || matcher === null ? {} : { matcher }) };
      return live.add({ kind: "session", event, group, sessionId, ...(onSuccess ? { onSuccess } : {}) }).remove;
    },
    useSkill: (name) => skills.use(sessionId, name),
    clear() {
      live.clear(sessionId);
      skills.forget(sessionId);
    },
  };
}

/** Hooks of a session that never comes would guard nothing. */
function checkId(id: unknown): void {
  if (typeof id === "string" && id !== "") return;
  const message = `The id of a session is a text that is not empty, not ${showValue(id)}. Pass the session_id of its payloads.`;
  throw new Problem("engine/bad-option", message, { about: { option: "session" } });
}

/** Stop hooks that the user or the host adds at run time; the model cannot add any, and hooks of files are not included. */
export interface StopHooks {
  /** For every session of the engine; one session's are registered with `session(id).register`. Returns the id by which it is removed. */
  add(hook: Hook): string;
  remove(id: string): void;
  list(): readonly HookRef[];
}

export function stopHooks(live: MemoryHooks, tell: (notice: Notice) => void): StopHooks {
  const added = new Map<string, { ref: HookRef; remove(): void }>();
  return {
    add(hook) {
      const onRun = (ref: HookRef, record: RunRecord): void => tell({ kind: "stop-hook-ran", hook: ref, record });
      const entry = live.add({ kind: "session", event: "Stop", group: { hooks: [hook] }, onRun });
      const [ref] = entry.refs;
      if (ref === undefined) throw new Problem("hook/invalid", "The stop hook cannot be used.");
      added.set(ref.id, { ref, remove: entry.remove });
      tell({ kind: "stop-hook-added", hook: ref });
      return ref.id;
    },
    remove(id) {
      const entry = added.get(id);
      if (entry === undefined) {
        throw new Problem(
          "hook/unknown",
          `No stop hook with the id ${id} was added at run time; hooks of files cannot be removed here.`,
        );
      }
      entry.remove();
      added.delete(id);
      tell({ kind: "stop-hook-removed", hook: entry.ref });
    },
    list: () => [...added.values()].map(({ ref }) => ref),
  };
}
