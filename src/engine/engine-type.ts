import type {
  CommonInput,
  EventInputs,
  EventName,
  FailurePolicy,
  HookOutput,
  HookSpecificOutput,
  Outcome,
  Payload,
  ToolInput,
  Verdict,
  Warning,
} from "../protocol/internal.ts";
import type { Explanation, ListedHook } from "./fire/explain.ts";
import type { EventStep, ProgressListener } from "./fire/in-flight.ts";
import type { ReloadReport } from "./live/effective-settings.ts";
import type { SessionHooks, StopHooks } from "./live/session-hooks.ts";
import type { BackgroundAnswer, BackgroundEntry } from "./runners/background-hooks.ts";
import type { PermissionRules } from "./settings/compiled-rules.ts";

/** An open engine. `Own` are the host's own events: `openEngine<{ Deploy: { target: string } }>({ events: [row] })`. */
export interface Engine<Own extends OwnEvents = NoOwnEvents> {
  /** Changes exactly when the active settings change. */
  readonly fingerprint: string;
  /** Warnings from loading the settings. */
  readonly warnings: readonly Warning[];
  /** Adds an in-process hook until the engine closes; returns a function that removes it. */
  on<Name extends KnownEvent<Own>>(
    event: Name,
    handler: CallbackHandler<NoInfer<Name>, Received<Own>[NoInfer<Name>]>,
    options?: CallbackOptions,
  ): () => void;
  /**
   * Adds an in-process hook for some values of an event. `matcher` says which, as in a settings file: a name (`Bash`), names
   * (`Edit|Write`) or a regular expression. It is compared with the tool's name on tool events, and with the field that the
   * event's row names on others.
   */
  on<Name extends KnownEvent<Own>>(
    event: Name,
    matcher: string,
    handler: CallbackHandler<NoInfer<Name>, Received<Own>[NoInfer<Name>]>,
    options?: CallbackOptions,
  ): () => void;
  /** One event in, one outcome out. Contract: always waits; rejects only with a `Problem` or the signal's reason. */
  fire<Name extends KnownEvent<Own>>(event: Name, payload: Sent<Own>[Name], options?: FireOptions): Promise<Outcome>;
  /**
   * `fire` for what the types do not know: an event name from outside, or fields of a newer version of Claude Code. An unknown
   * name, or a payload that is not an object or lacks what the engine needs, is a `Problem`.
   */
  fireUnknown(event: string, payload: unknown, options?: FireOptions): Promise<Outcome>;
  /** `started` and `ended` per hook, then the outcome. Leaving early cancels. */
  stream<Name extends KnownEvent<Own>>(
    event: Name,
    payload: Sent<Own>[Name],
    options?: FireOptions,
  ): AsyncGenerator<EventStep, Outcome, void>;
  /** Starts the hooks of an event without waiting for them. */
  notify<Name extends KnownEvent<Own>>(event: Name, payload: Sent<Own>[Name]): void;
  /** May return true for hooks that later checks skip, never false for one that would run. */
  hasHookFor(event: KnownEvent<Own>): boolean;
  /** How long all hooks of an event may take together, where it has such a limit; absent too when it has no hook. */
  budgetMs(event: KnownEvent<Own>): number | undefined;
  /** Which hooks would run, and why the others would not. Starts nothing. */
  explain<Name extends KnownEvent<Own>>(event: Name, payload: Sent<Own>[Name]): Explanation;
  /** Every configured hook with its source, its trust and its problems. */
  list(): readonly ListedHook[];
  /** The active permission rules, to judge calls that no hook decided. */
  rules(): Promise<PermissionRules>;
  /**
   * What settings add to the environment of the host's own tools: policy and user first, then the checkout as far as its `env` was
   * approved, without names that change how programs load or where they connect.
   */
  toolEnv(): Readonly<Record<string, string>>;
  /** Reads all settings afresh; hooks of the old ones are asked first, but not about what the host has written itself (`contentHash` of the edits). */
  reload(options?: { readonly written?: readonly string[] }): Promise<ReloadReport>;
  /** Reloads when a settings file changes; returns the end of watching. */
  watch(): () => void;
  /** Hooks of one session, in memory only. */
  session(id: string): SessionHooks<KnownEvent<Own>>;
  /** Stop hooks that the user or the host adds at run time. */
  readonly stopHooks: StopHooks;
  /** Hooks that run in the background. */
  readonly background: {
    /** Those that wait, run or have ended. */
    list(): readonly BackgroundEntry[];
    /** Finished answers of a session's background hooks, each exactly once. */
    take(sessionId: string): readonly BackgroundAnswer[];
  };
  /** The lines that the status line command prints for an input. */
  statusLine(input: unknown): Promise<readonly string[]>;
  /**
   * Ends what still runs, after `waitMs` of grace (default: 0): events that are being fired reject with `engine/closed`, and their
   * hooks, background hooks and the status line are ended with their processes. Resolves when none of them is left. Hooks of
   * StopFailure that were started by `notify` stay alive, and so do processes that a hook left behind.
   */
  close(options?: { readonly waitMs?: number }): Promise<void>;
}

/** Events of a host's own by name, each with the fields of its payload: `openEngine<{ Deploy: { target: string } }>(…)`. */
export type OwnEvents = object;

/** Only the events of the catalog. */
export type NoOwnEvents = Record<never, never>;

/** The names of the catalog's events and of the host's own. */
export type KnownEvent<Own extends OwnEvents = NoOwnEvents> = EventName | (keyof Own & string);

type Needed = "tool_name" | "tool_input";

/** What a host sends: of a tool call its name and input, and of all other fields what it knows. */
export type EventPayload<Name extends EventName> = Partial<CommonInput> &
  Partial<Omit<EventInputs[Name], Needed>> &
  Pick<EventInputs[Name], Extract<keyof EventInputs[Name], Needed>>;

/** What a host sends with each event. */
export type Sent<Own extends OwnEvents> = { readonly [Name in EventName]: EventPayload<Name> } & {
  readonly [Name in keyof Own & string]: Partial<CommonInput> & Own[Name];
};

/** What handlers of each event get. */
export type Received<Own extends OwnEvents> = { readonly [Name in EventName]: Payload<Name> } & {
  readonly [Name in keyof Own & string]: CommonInput & Own[Name];
};

/** What a handler may return: a verdict, or the JSON that a command hook would print. */
export type HandlerAnswer<Name extends string> =
  | Verdict
  | (Omit<HookOutput, "decision" | "hookSpecificOutput"> & {
      /** PermissionRequest has its decision in `hookSpecificOutput`. */
      readonly decision?: "approve" | "block";
      readonly hookSpecificOutput?: HookSpecificOutput & { readonly hookEventName: Name };
      /** Words of other answers: with one of them the object would be taken for something it is not. */
      readonly kind?: never;
      readonly behavior?: never;
      readonly permissionDecision?: never;
    });

/**
 * An in-process hook. Without a name of an event it can be registered for all of them and gets the fields they share.
 *
 * Contract: gets a frozen copy of the payload; answers at once or later, or not at all. What it throws is a failed run. `signal` is
 * aborted at the hook's timeout, and when the event is cancelled or the engine is closed.
 */
export type CallbackHandler<
  Name extends string = never,
  Given = [Name] extends [never] ? CommonInput : Name extends EventName ? Payload<Name> : CommonInput,
> = (
  payload: Given,
  context: { readonly toolUseId: string | undefined; readonly signal: AbortSignal },
) => Answered<Name> | Promise<Answered<Name>>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function that only looks on is declared to return nothing.
type Answered<Name extends string> = HandlerAnswer<Name> | undefined | null | void;

/** How a callback is run. */
export interface CallbackOptions {
  /** Seconds. Default: 600, or less where the event has a limit of its own. Give a guard a shorter one, and `onFailure: "block"`. */
  readonly timeout?: number;
  /** What it means when the callback throws or times out. Default: "continue". */
  readonly onFailure?: FailurePolicy;
}

/** What a host may pass with one event besides its payload. */
export interface FireOptions {
  /** Cancels the event and ends its hooks. */
  readonly signal?: AbortSignal;
  /** Awaits background hooks too and uses their answers. */
  readonly forceSync?: boolean;
  /**
   * The input that hooks of this event have seen, when the input in the payload has replaced it since. Only hooks whose condition
   * holds for the new input and did not for this one are asked (with `rejudge: "all"` the others too); they may refuse and ask, not
   * rewrite.
   */
  readonly rewrittenFrom?: ToolInput;
  /** Receives what command hooks that are awaited have printed so far. */
  readonly progress?: ProgressListener;
}
