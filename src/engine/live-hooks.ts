import {
  type EventRow,
  type HookGroup,
  type HookRef,
  type LayerKind,
  Problem,
  type RunRecord,
  rowOf,
  type Warning,
} from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import { configureGroup } from "./settings/index.ts";

/** Hooks that live in memory: callbacks of the engine's life, hooks of one session, stop hooks added at run time. */
export interface LiveHooks {
  /** Contract: returns the removal; removing twice is harmless. */
  add(hook: LiveHook): { readonly refs: readonly HookRef[]; remove(): void };
  /** Of the event, for the session: in order of registration. */
  of(event: string, sessionId: string): readonly ConfiguredHook[];
  has(event: string): boolean;
  all(): readonly ConfiguredHook[];
  clear(sessionId: string): void;
  /** Reports a run that did not fail to whoever registered the hook; what they throw is a warning. */
  succeeded(record: RunRecord): Warning | undefined;
}

export interface LiveHook {
  readonly kind: Extract<LayerKind, "session" | "callback">;
  readonly event: string;
  readonly group: HookGroup;
  /** Absent: for every session. */
  readonly sessionId?: string;
  readonly onSuccess?: (hook: HookRef, record: RunRecord) => void;
}

interface Entry extends LiveHook {
  readonly configured: readonly ConfiguredHook[];
}

/** Hooks in memory come after all that stand in files. */
const behindFiles = 1_000_000;

export function liveHooks(rows: Readonly<Record<string, EventRow>>): LiveHooks {
  const entries = new Map<string, Entry[]>();
  let next = 0;

  function remove(entry: Entry): void {
    const list = entries.get(entry.event);
    const rest = list?.filter((other) => other !== entry) ?? [];
    if (rest.length > 0) entries.set(entry.event, rest);
    else entries.delete(entry.event);
  }

  return {
    add(live) {
      const row = rowOf(live.event, rows);
      const configured = configureGroup(live.group, {
        layer: { kind: live.kind, settings: {}, readable: true, warnings: [], contentHash: "" },
        row,
        group: next,
        order: behindFiles + next++,
      });
      const invalid = configured.flatMap(({ problems }) => problems).find(({ code }) => code === "hook-invalid");
      if (invalid !== undefined) throw new Problem("hook/invalid", invalid.message, { about: { event: live.event } });
      const entry: Entry = { ...live, configured };
      entries.set(live.event, [...(entries.get(live.event) ?? []), entry]);
      return { refs: configured.map(({ ref }) => ref), remove: () => remove(entry) };
    },
    of: (event, sessionId) =>
      (entries.get(event) ?? [])
        .filter((entry) => entry.sessionId === undefined || entry.sessionId === sessionId)
        .flatMap(({ configured }) => configured),
    has: (event) => entries.has(event),
    all: () => [...entries.values()].flat().flatMap(({ configured }) => configured),
    clear(sessionId) {
      for (const entry of [...entries.values()].flat()) if (entry.sessionId === sessionId) remove(entry);
    },
    succeeded(record) {
      const has = ({ configured }: Entry): boolean => configured.some(({ ref }) => ref.id === record.hook.id);
      const entry = entries.get(record.hook.event)?.find(has);
      try {
        entry?.onSuccess?.(record.hook, record);
        return undefined;
      } catch (error) {
        const message = `onSuccess of hook ${record.hook.name} threw: ${String(error)}`;
        return { code: "observer-threw", message, place: record.hook.id };
      }
    },
  };
}
