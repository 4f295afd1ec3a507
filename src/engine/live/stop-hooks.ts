import { type Hook, type HookRef, Problem, type RunRecord } from "../../protocol/index.ts";
import type { Notice } from "../ports.ts";
import type { LiveHooks } from "./memory-hooks.ts";

/** Stop hooks that the person or the embedding program adds at run time; never the model, and never those of files. */
export interface StopHooks {
  /** For every session of the engine; one session's are registered with `session(id).register`. Returns the id by which it is removed. */
  add(hook: Hook): string;
  remove(id: string): void;
  list(): readonly HookRef[];
}

export function stopHooks(live: LiveHooks, tell: (notice: Notice) => void): StopHooks {
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
