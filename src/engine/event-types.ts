import type {
  CommonInput,
  EventInputs,
  EventName,
  FailurePolicy,
  HookOutput,
  HookSpecificOutput,
  Payload,
  Verdict,
} from "../protocol/index.ts";

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
