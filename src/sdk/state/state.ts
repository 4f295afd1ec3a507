import { deferMethods } from "../../protocol/internal.ts";

/** The default values of an app's state, by scope; the `state` option of `createApp`. */
export interface StateDefaults {
  /** For `ctx.state`. */
  readonly session?: Readonly<Record<string, unknown>>;
  /** For `ctx.state.project`. */
  readonly project?: Readonly<Record<string, unknown>>;
  /** For `ctx.state.user`. */
  readonly user?: Readonly<Record<string, unknown>>;
}

/** Values that outlive the process. Keys and values are JSON; every call is a promise. */
export interface State<Shape = Readonly<Record<string, unknown>>> {
  /** The value, or its default. */
  get<Key extends keyof Shape & string>(key: Key): Promise<Shape[Key]>;
  /** Sets a value, until `ttlMs` have passed. */
  set<Key extends keyof Shape & string>(key: Key, value: Shape[Key], options?: { ttlMs?: number }): Promise<void>;
  /** One atomic read, change and write, over all processes; gives the new value. */
  update<Key extends keyof Shape & string>(
    key: Key,
    change: (value: Shape[Key]) => Shape[Key] | Promise<Shape[Key]>,
    options?: { ttlMs?: number },
  ): Promise<Shape[Key]>;
  /** False when there was no value. */
  delete(key: string): Promise<boolean>;
  /** Whether a value is set. */
  has(key: string): Promise<boolean>;
  /** The keys that are set. */
  keys(): Promise<readonly string[]>;
  /** All values, defaults included. */
  all(): Promise<Readonly<Record<string, unknown>>>;
  /** Deletes all values. */
  clear(): Promise<void>;
}

/** `ctx.state`: the session's; `.project` and `.user` reach further. */
export interface ScopedState<Defaults extends StateDefaults = OpenState> extends State<ShapeOf<Defaults["session"]>> {
  /** Shared by the sessions of the project. */
  readonly project: State<ShapeOf<Defaults["project"]>>;
  /** Shared by all of the user's sessions. */
  readonly user: State<ShapeOf<Defaults["user"]>>;
}

export interface OpenState {
  // biome-ignore lint/suspicious/noExplicitAny: without declared defaults a value has whatever type its author says.
  readonly session: Readonly<Record<string, any>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly project: Readonly<Record<string, any>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly user: Readonly<Record<string, any>>;
}

type ShapeOf<Given> = Given extends object ? { [Key in keyof Given]: Widen<Given[Key]> } : OpenState["session"];
type Widen<Value> = Value extends number
  ? number
  : Value extends string
    ? string
    : Value extends boolean
      ? boolean
      : Value;

/** Where state comes from: files, or a test's memory. */
export interface StateAccess {
  /** A strategy or blueprint has its own keys. An update ends with the handler that began it. */
  forSpace(space: string | undefined, handler?: { readonly signal: AbortSignal }): ScopedState;
  /** Contract: false the first time it is asked for this key in this session, true from then on. */
  markReported(key: string): Promise<boolean>;
}

export type ScopeName = keyof StateDefaults;
export const stateScopes: readonly ScopeName[] = ["session", "project", "user"];

/** `reported`: the failures that were reported to the user. */
export type StoreName = ScopeName | "reported";

/** One scope's values as they are kept. */
export interface ScopeStore {
  read(): Promise<StoredValues>;
  /** Contract: atomic over all processes. */
  change<Result>(work: (entries: StoredValues) => Result | Promise<Result>): Promise<Result>;
}

export type StoredValues = Map<string, { value: unknown; until?: number }>;

/** The calls of `ctx.state` over any stores. */
export function stateAccess(
  store: (scope: StoreName) => ScopeStore,
  defaults: StateDefaults,
  now: () => number,
): StateAccess {
  return {
    forSpace(space, handler) {
      const calls = (name: ScopeName): State => {
        const scope = { name, space, handler, defaults: defaults[name] ?? {}, now, open: () => store(name) };
        return deferMethods<State>(stateMethods, async () => (await import("./state-calls.ts")).stateCalls(scope));
      };
      return Object.assign(calls("session"), { project: calls("project"), user: calls("user") });
    },
    markReported: async (key) =>
      store("reported").change((entries) => {
        const before = entries.has(key);
        if (!before) entries.set(key, { value: true });
        return before;
      }),
  };
}

/** What the calls of one scope use. */
export interface Scope {
  readonly name: ScopeName;
  /** The strategy or blueprint whose keys are meant; undefined: the app itself. */
  readonly space: string | undefined;
  readonly handler: { readonly signal: AbortSignal } | undefined;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly now: () => number;
  readonly open: () => ScopeStore;
}

const stateMethods = ["get", "set", "update", "delete", "has", "keys", "all", "clear"] as const;
