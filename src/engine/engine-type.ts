import type {
  CommonInput,
  EventInputs,
  EventName,
  FailurePolicy,
  HookOutput,
  HookRef,
  HookSpecificOutput,
  Payload,
  RunRecord,
  ToolInput,
  Verdict,
} from "../protocol/internal.ts";

/** Events of a host's own by name, each with the fields of its payload: `openEngine<{ Deploy: { target: string } }>(…)`. */
export type OwnEvents = object;

/** No events beside the catalog's. */
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
 * Contract: gets a frozen copy of the payload; answers at once or later, or not at all. What it throws is a failed run.
 */
export type Handler<
  Name extends string = never,
  Given = [Name] extends [never] ? CommonInput : Name extends EventName ? Payload<Name> : CommonInput,
> = (
  payload: Given,
  context: { readonly toolUseId: string | undefined; readonly signal: AbortSignal },
) => Answered<Name> | Promise<Answered<Name>>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function that only looks on is declared to return nothing.
type Answered<Name extends string> = HandlerAnswer<Name> | undefined | null | void;

export interface HandlerOptions {
  /** Seconds; without it the event's own limit for callbacks. */
  readonly timeout?: number;
  /** What a handler that throws or times out means; without it "continue". */
  readonly onFailure?: FailurePolicy;
}

/** What a host may pass with one event besides its payload. */
export interface FireOptions {
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

/** What a command hook has printed by now; it still runs. */
export interface HookProgress {
  readonly hook: HookRef;
  readonly stdout: string;
  readonly stderr: string;
}

/** Receives what hooks print while they run, at most once per `everyMs`. */
export interface ProgressListener {
  readonly everyMs: number;
  /** Contract: as an observer, cannot delay or change an outcome. */
  tell(progress: HookProgress): void;
}

/** Progress of a fired event. */
export type RunStep =
  | { readonly kind: "started"; readonly hook: HookRef; readonly statusMessage?: string }
  | { readonly kind: "ended"; readonly record: RunRecord };
