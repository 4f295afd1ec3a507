import {
  type EventRow,
  eventRow,
  type FailurePolicy,
  type HookGroup,
  type HookRef,
  hookFields,
  isObject,
  type LayerKind,
  messageOf,
  Problem,
  type RunRecord,
  type Warning,
  type WarningCode,
} from "../../protocol/internal.ts";
import {
  type CompileCondition,
  conditionReader,
  type HookCondition,
  loadConditionReader,
} from "../match/conditions.ts";
import type { ToolAliases } from "../match/matcher.ts";
import { callHost } from "../ports.ts";
import { misspelledKeys } from "../settings/check-fields.ts";
import { configureGroup, statedOnFailure } from "../settings/configure-hooks.ts";
import type { ConfiguredHook } from "../settings/layer.ts";

/** Hooks that live in memory: callbacks of the engine's life, hooks of one session, stop hooks added at run time. */
export interface MemoryHooks {
  /** Contract: returns the removal; removing twice is harmless. */
  add(hook: LiveHook): { readonly refs: readonly HookRef[]; remove(): void };
  /** What must have settled before an event fires, if anything. */
  ready(): Promise<unknown> | undefined;
  /** `files`, then session hooks, then callbacks, each in order of registration. The same list as long as nothing changes. */
  behind(
    files: readonly ConfiguredHook[],
    event: string,
    sessionId: string,
    managedOnFailure: FailurePolicy,
  ): readonly ConfiguredHook[];
  has(event: string): boolean;
  all(): readonly ConfiguredHook[];
  clear(sessionId: string): void;
  /** Reports a finished run to the code that registered the hook; what it throws becomes a warning. */
  ran(record: RunRecord): Warning | undefined;
}

export interface LiveHook {
  readonly kind: Extract<LayerKind, "session" | "callback">;
  readonly event: string;
  readonly group: HookGroup;
  /** Absent: for every session. */
  readonly sessionId?: string;
  readonly onRun?: (hook: HookRef, record: RunRecord) => void;
  /** Only for runs that did not fail. */
  readonly onSuccess?: (hook: HookRef, record: RunRecord) => void;
}

interface Entry extends LiveHook {
  readonly configured: readonly ConfiguredHook[];
}

interface Joined {
  readonly files: readonly ConfiguredHook[];
  readonly managedOnFailure: FailurePolicy;
  readonly hooks: readonly ConfiguredHook[];
}

/** Hooks in memory come after all hooks of files. */
const behindFiles = 1_000_000;

/** What keeps a hook from ever running, or from running where it should: at registration that is a wrong call. */
const unusable: ReadonlySet<WarningCode> = new Set([
  "hook-invalid",
  "matcher-invalid",
  "matcher-unsafe",
  "matcher-is-rule",
  "type-unsupported",
  "if-invalid",
  "if-ignored",
]);

export interface LiveHooksOptions {
  readonly rows: Readonly<Record<string, EventRow>>;
  /** Older names of tools, as matchers and conditions of files know them. */
  readonly aliases?: ToolAliases;
  /** Told with the next outcome: what a registration said that has no effect. */
  warn(warning: Warning): void;
}

export function memoryHooks({ rows, aliases = {}, warn }: LiveHooksOptions): MemoryHooks {
  const entries = new Map<string, Entry[]>();
  /** Lists already put together; forgotten when a hook comes or goes. */
  const joinedLists = new Map<string, Joined>();
  const listeners = new Map<string, Pick<LiveHook, "onRun" | "onSuccess">>();
  let next = 0;
  let loading: Promise<unknown> | undefined;

  /** A condition registered before its reader is there: read when it is first asked, which is after `ready`. */
  function whenLoaded(text: string, aliases: ToolAliases): HookCondition {
    const before = loading;
    loading = loadConditionReader().then(async (read) => {
      await before;
      const compiled = read(text, aliases);
      if (!("invalid" in compiled)) return;
      const message = `if ${JSON.stringify(text)} never holds, so the hook never runs: ${compiled.invalid}`;
      warn({ code: "if-invalid", message });
    });
    return (tool, input, place) => {
      const condition = conditionReader()?.(text, aliases);
      return typeof condition === "function" && condition(tool, input, place);
    };
  }

  function remove(entry: Entry): void {
    joinedLists.delete(entry.event);
    for (const { ref } of entry.configured) listeners.delete(ref.id);
    const list = entries.get(entry.event);
    const rest = list?.filter((other) => other !== entry) ?? [];
    if (rest.length > 0) entries.set(entry.event, rest);
    else entries.delete(entry.event);
  }

  return {
    ready: () => loading,
    add(live) {
      const row = eventRow(live.event, rows);
      if (!live.group.hooks.every(isObject)) {
        throw new Problem("hook/invalid", `A hook of ${live.event} is an object.`, { about: { event: live.event } });
      }
      checkKeys(live);
      const compileCondition: CompileCondition = (text, aliases) =>
        conditionReader()?.(text, aliases) ?? whenLoaded(text, aliases);
      const configured = configureGroup(live.group, {
        layer: { kind: live.kind, settings: {}, readable: true, warnings: [], contentHash: "" },
        row,
        aliases,
        compileCondition,
        group: next,
        order: behindFiles + next++,
      });
      const problems = configured.flatMap((one) => one.problems);
      const invalid = problems.find(({ code }) => unusable.has(code));
      if (invalid !== undefined) {
        const about = { event: live.event, warning: invalid.code };
        throw new Problem("hook/invalid", invalid.message, { about });
      }
      problems.forEach(warn);
      const entry: Entry = { ...live, configured };
      joinedLists.delete(live.event);
      for (const { ref } of configured) if (live.onRun || live.onSuccess) listeners.set(ref.id, live);
      entries.set(live.event, [...(entries.get(live.event) ?? []), entry]);
      return { refs: configured.map(({ ref }) => ref), remove: () => remove(entry) };
    },
    behind(files, event, sessionId, managedOnFailure) {
      const list = entries.get(event) ?? [];
      const shared = list.every((entry) => entry.sessionId === undefined);
      const known = joinedLists.get(event);
      if (shared && known?.files === files && known.managedOnFailure === managedOnFailure) return known.hooks;
      const own = list.filter((entry) => entry.sessionId === undefined || entry.sessionId === sessionId);
      const of = (kind: LiveHook["kind"]) => own.filter((entry) => entry.kind === kind);
      const live = [...of("session"), ...of("callback")].flatMap((entry) => withManagedPolicy(entry, managedOnFailure));
      const hooks = [...files, ...live];
      if (shared) joinedLists.set(event, { files, managedOnFailure, hooks });
      return hooks;
    },
    has: (event) => entries.has(event),
    all: () => [...entries.values()].flat().flatMap(({ configured }) => configured),
    clear(sessionId) {
      for (const entry of [...entries.values()].flat()) if (entry.sessionId === sessionId) remove(entry);
    },
    ran(record) {
      const listener = listeners.get(record.hook.id);
      if (listener === undefined) return undefined;
      const { onRun, onSuccess } = listener;
      let thrown: Warning | undefined;
      let settled = false;
      const onThrow = (error: unknown): void => {
        const message = `A listener of hook ${record.hook.name} threw: ${messageOf(error)}`;
        const warning: Warning = { code: "observer-threw", message, place: record.hook.id };
        if (settled) warn(warning);
        else thrown = warning;
      };
      callHost(() => onRun?.(record.hook, record), onThrow);
      if (record.answer?.failure === undefined) callHost(() => onSuccess?.(record.hook, record), onThrow);
      settled = true;
      return thrown;
    },
  };
}

/** Contract: a key that looks like one of a hook and is none is refused, since a guard may rely on it; so is a matcher that is not a string. */
function checkKeys({ event, group }: LiveHook): void {
  const about = { event };
  if (group.matcher !== undefined && typeof group.matcher !== "string") {
    throw new Problem("hook/invalid", `The matcher of a hook of ${event} is a text, such as "Edit|Write".`, { about });
  }
  for (const hook of group.hooks) {
    const own =
      hook.type === "callback" || hook.type === "function" ? inMemory : Object.keys(hookFields[hook.type] ?? {});
    const [wrong] = misspelledKeys({ ...hook }, own);
    if (wrong === undefined) continue;
    const message = `A hook of ${event} has the key "${wrong.key}", which has no effect. Did you mean "${wrong.meant}"?`;
    throw new Problem("hook/invalid", message, { about });
  }
}

const inMemory = [...Object.keys(hookFields.agent), "callback", "function", "name", "errorMessage", "managed"];

/** What a failure of a managed callback means is for policy to say, unless its registration does. */
function withManagedPolicy({ configured, group }: Entry, managedOnFailure: FailurePolicy): readonly ConfiguredHook[] {
  if (managedOnFailure === "continue") return configured;
  return configured.map((one) => {
    const managed = one.hook.type === "callback" && one.hook.managed === true;
    const said = statedOnFailure(one.hook) ?? statedOnFailure(group);
    return managed && said === undefined ? { ...one, onFailure: managedOnFailure } : one;
  });
}
