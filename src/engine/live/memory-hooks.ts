import {
  callHost,
  eventRow,
  type FailurePolicy,
  type HookGroup,
  type HookRef,
  hookFields,
  inProcessFields,
  isObject,
  type LayerKind,
  messageOf,
  Problem,
  type RunRecord,
  type Warning,
  type WarningCode,
} from "../../protocol/internal.ts";
import { type CompileCondition, conditionCompiler, loadConditionCompiler } from "../match/conditions.ts";
import type { ResolvedOptions } from "../options.ts";
import { misspelledKeys } from "../settings/check-fields.ts";
import { configureGroup, neverRuns } from "../settings/configure-hooks.ts";
import { isAboutFailure, statedOnFailure } from "../settings/failure-policy.ts";
import type { ConfiguredHook } from "../settings/layer.ts";

export type MemoryHooks = ReturnType<typeof memoryHooks>;

interface LiveHook {
  readonly kind: Extract<LayerKind, "session" | "callback">;
  readonly event: string;
  readonly group: HookGroup;
  /** Absent: the hook applies to every session. */
  readonly sessionId?: string;
  readonly onRun?: (hook: HookRef, record: RunRecord) => void;
  /** Called only for runs that did not fail. */
  readonly onSuccess?: (hook: HookRef, record: RunRecord) => void;
}

interface RegisteredHook extends LiveHook {
  configured: readonly ConfiguredHook[];
}

interface JoinedList {
  readonly files: readonly ConfiguredHook[];
  readonly managedOnFailure: FailurePolicy;
  readonly hooks: readonly ConfiguredHook[];
}

/** Hooks in memory come after all hooks of files. */
const firstOrder = 1_000_000;

/** With one of these a hook never runs, or not where it should. For a hook of a file they are warnings; registering such a hook throws. */
const fatalWarnings: ReadonlySet<WarningCode> = new Set([...neverRuns, "hook-invalid"]);

/**
 * Hooks registered at run time: callbacks of the engine, hooks of one session, stop hooks. The warnings that `warn` receives are part of
 * the next outcome.
 */
export function memoryHooks(options: ResolvedOptions, warn: (warning: Warning) => void) {
  const { rows, toolAliases: aliases } = options;
  const wakes = options.ports.wake !== undefined;
  const entries = new Map<string, RegisteredHook[]>();
  /** Results of `appendTo` by event, deleted when a hook of the event is added or removed. */
  const joinedLists = new Map<string, JoinedList>();
  const listeners = new Map<string, Pick<LiveHook, "onRun" | "onSuccess">>();
  let next = 0;
  let loading: Promise<unknown> | undefined;

  /** Configures hooks that were registered before the condition compiler was loaded. `ready` keeps events waiting until then. */
  function configureLater(
    entry: RegisteredHook,
    configure: (compile: CompileCondition) => readonly ConfiguredHook[],
  ): void {
    const previous = loading;
    const current = loadConditionCompiler().then(async (compile) => {
      await previous;
      entry.configured = configure(compile);
      joinedLists.delete(entry.event);
      const isRegistered = entries.get(entry.event)?.includes(entry) === true;
      if (isRegistered) entry.configured.flatMap((hook) => hook.problems).forEach(warn);
      if (loading === current) loading = undefined;
    });
    loading = current;
  }

  function remove(entry: RegisteredHook): void {
    joinedLists.delete(entry.event);
    for (const { ref } of entry.configured) listeners.delete(ref.id);
    const rest = (entries.get(entry.event) ?? []).filter((other) => other !== entry);
    if (rest.length > 0) entries.set(entry.event, rest);
    else entries.delete(entry.event);
  }

  return {
    /** Resolves when all hooks are configured; undefined when they are. */
    ready: (): Promise<unknown> | undefined => loading,
    /** Contract: calling `remove` twice is harmless. */
    add(live: LiveHook): { readonly refs: readonly HookRef[]; remove(): void } {
      const row = eventRow(live.event, rows);
      checkKeys(live);
      const place = {
        layer: { kind: live.kind, settings: {}, readable: true, warnings: [], contentHash: "" },
        row,
        aliases,
        wakes,
        group: next,
        order: firstOrder + next++,
      };
      const configure = (compileCondition: CompileCondition) =>
        configureGroup(live.group, { ...place, compileCondition });
      let isComplete = true;
      const configured = configure((text, aliases) => {
        const compile = conditionCompiler();
        isComplete &&= compile !== undefined;
        // Seen only by `explain` before the first event.
        return compile?.(text, aliases) ?? (() => "it is evaluated from the first event on");
      });
      const warnings = configured.flatMap((hook) => hook.problems);
      const fatal = warnings.find(({ code }) => fatalWarnings.has(code));
      if (fatal !== undefined) {
        const about = { event: live.event, warning: fatal.code };
        throw new Problem("hook/invalid", fatal.message, { about });
      }
      const entry: RegisteredHook = { ...live, configured };
      if (isComplete) warnings.forEach(warn);
      else configureLater(entry, configure);
      joinedLists.delete(live.event);
      for (const { ref } of configured) if (live.onRun || live.onSuccess) listeners.set(ref.id, live);
      entries.set(live.event, [...(entries.get(live.event) ?? []), entry]);
      return { refs: configured.map(({ ref }) => ref), remove: () => remove(entry) };
    },
    /** `files`, then session hooks, then callbacks, each in order of registration. Returns the same array until a hook changes. */
    appendTo(
      files: readonly ConfiguredHook[],
      event: string,
      sessionId: string,
      managedOnFailure: FailurePolicy,
    ): readonly ConfiguredHook[] {
      const list = entries.get(event) ?? [];
      const isSameForAllSessions = list.every((entry) => entry.sessionId === undefined);
      const cached = joinedLists.get(event);
      if (isSameForAllSessions && cached?.files === files && cached.managedOnFailure === managedOnFailure) {
        return cached.hooks;
      }
      const ofSession = list.filter((entry) => entry.sessionId === undefined || entry.sessionId === sessionId);
      const ofKind = (kind: LiveHook["kind"]) => ofSession.filter((entry) => entry.kind === kind);
      const live = [...ofKind("session"), ...ofKind("callback")];
      const hooks = [...files, ...live.flatMap((entry) => withManagedPolicy(entry, managedOnFailure))];
      if (isSameForAllSessions) joinedLists.set(event, { files, managedOnFailure, hooks });
      return hooks;
    },
    has: (event: string): boolean => entries.has(event),
    all: (): readonly ConfiguredHook[] => [...entries.values()].flat().flatMap(({ configured }) => configured),
    clear(sessionId: string): void {
      for (const entry of [...entries.values()].flat()) if (entry.sessionId === sessionId) remove(entry);
    },
    /** Calls the listeners of the hook that ran. An error of a listener becomes a warning. */
    reportRun(record: RunRecord): Warning | undefined {
      const listener = listeners.get(record.hook.id);
      if (listener === undefined) return undefined;
      const { onRun, onSuccess } = listener;
      let warning: Warning | undefined;
      let hasReturned = false;
      const onThrow = (error: unknown): void => {
        const message = `A listener of hook ${record.hook.name} threw: ${messageOf(error)}`;
        const threw: Warning = { code: "observer-threw", message, place: record.hook.id };
        // An async listener may reject after this call has returned.
        if (hasReturned) warn(threw);
        else warning = threw;
      };
      callHost(() => onRun?.(record.hook, record), onThrow);
      if (record.answer?.failure === undefined) callHost(() => onSuccess?.(record.hook, record), onThrow);
      hasReturned = true;
      return warning;
    },
  };
}

/** Contract: a misspelled key is refused, since a guard may rely on it. So is a matcher that is not a string. */
function checkKeys({ event, group }: LiveHook): void {
  const about = { event };
  if (!group.hooks.every(isObject))
    throw new Problem("hook/invalid", `A hook of ${event} must be an object.`, { about });
  if (group.matcher !== undefined && typeof group.matcher !== "string") {
    const message = `The matcher of a hook of ${event} must be a string, such as "Edit|Write".`;
    throw new Problem("hook/invalid", message, { about });
  }
  for (const hook of group.hooks) {
    const fields = { ...hookFields, ...inProcessFields }[hook.type] ?? {};
    const others = Object.entries(hook).filter(([key]) => !Object.hasOwn(fields, key));
    const policies = others.filter(([key, value]) => isAboutFailure(key, value));
    const asPolicies = policies.map(([key]) => ({ key, meant: "onFailure" }));
    const [misspelled] = [...misspelledKeys({ ...hook }, Object.keys(fields)), ...asPolicies];
    if (misspelled === undefined) continue;
    const { key, meant } = misspelled;
    const message = `A hook of ${event} has the key "${key}", which has no effect. Did you mean "${meant}"?`;
    throw new Problem("hook/invalid", message, { about });
  }
}

/** Managed callbacks use the failure policy of managed settings, unless their registration sets one. */
function withManagedPolicy(
  { configured, group }: RegisteredHook,
  managedOnFailure: FailurePolicy,
): readonly ConfiguredHook[] {
  if (managedOnFailure === "continue") return configured;
  return configured.map((entry) => {
    const isManaged = entry.hook.type === "callback" && entry.hook.managed === true;
    const ownPolicy = statedOnFailure(entry.hook) ?? statedOnFailure(group);
    return isManaged && ownPolicy === undefined ? { ...entry, onFailure: managedOnFailure } : entry;
  });
}
