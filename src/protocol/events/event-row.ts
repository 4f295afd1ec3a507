import type { Fields } from "../field.ts";
import type { HookType } from "../hook.ts";
import type { Decision, HookSpecificOutput } from "../hook-output.ts";

/** The part of a session to which an event belongs. */
export type Phase = "session" | "prompt" | "tool" | "turn" | "agent" | "context" | "settings" | "mcp";

/** Everything Hookline knows about an event. Code asks the row; no module branches on an event's name. */
export interface EventRow<Name extends string = string, Own extends Fields = Fields> {
  readonly name: Name;
  readonly phase: Phase;
  /** The version it was measured on, or `declared` by newer versions of Claude Code only. */
  readonly since: "2.1.197" | "declared";
  readonly fires: string;
  /** Which of the sometimes-present common fields it carries. */
  readonly carries: readonly ("permission_mode" | "effort" | "agent")[];
  /** The type of the payload is read from them. */
  readonly fields: Own;
  /** The field that a group's matcher is compared with; null: a matcher is ignored, with a warning. */
  readonly matchesOn: MatchedField | null;
  /** What plain stdout of a hook that ended well becomes; null: it stays in the record. */
  readonly onText: "context" | "instructions" | "message" | "path" | null;
  /** What a denial does to the operation; null: exit 2 is no decision here. */
  readonly onBlock: "refuse" | "feedback" | "goOn" | "stop" | "decline" | "fail" | null;
  /** What an exit code other than 0 and 2 means; null: run record only. */
  readonly onOther: "report" | "fail" | null;
  /** The answers in `hookSpecificOutput` it honors. */
  readonly answers: readonly AnswerName[];
  /** The verdicts it honors; without `deny` a hook cannot refuse anything here. */
  readonly decisions: readonly Exclude<Decision, "none">[];
  /** Whether a top-level `decision: "block"` denies. */
  readonly blockWord: boolean;
  readonly types: readonly HookType[];
  /** Replaces the 600 s of command, http, mcp_tool and callback hooks. */
  readonly timeoutMs: number | null;
  /** What `blocked` means here; null: a hook cannot block. */
  readonly blocks: string | null;
  readonly awaited: boolean | "detached";
  /** `open`: a failed hook never counts. `guard`: it denies if the hook says `onFailure: "block"`. `fail`: it always denies. */
  readonly onFailure: "open" | "guard" | "fail";
  /** What `continue: false` does. */
  readonly onStop: StopEffect;
  /** What `ok: false` of a prompt or agent hook does; an agent hook never stops the turn where `deny-and-stop` does. */
  readonly onNotOk: "deny" | "deny-and-stop" | "stop" | "ignore";
  readonly special: EventSpecials;
}

/** A row of the catalog. Apps have a method for each of them; an event of a host's own they register for by its name. */
export interface CatalogRow<Name extends string, Own extends Fields, App extends AppMethod = AppMethod>
  extends EventRow<Name, Own> {
  readonly app: App;
}

/** The payload field that matchers are compared with. */
export interface MatchedField {
  readonly field: string;
  /** Only letters, digits, `_` and `|` make a list of names. */
  readonly narrow?: true;
  /** The base name of a path is compared. */
  readonly part?: "basename";
}

/**
 * `ignore`: dropped with a warning. `stop`: the run ends. `refuse`: as a block. `after-tool`: the run ends once the call is settled; it
 * does not stop the tool. `end-turn`: the turn ends, whatever other hooks say.
 */
export type StopEffect = "ignore" | "stop" | "refuse" | "after-tool" | "end-turn";

export type AnswerName = Exclude<keyof HookSpecificOutput, "hookEventName" | "permissionDecisionReason">;

type Payload = Readonly<Record<string, unknown>>;

/** What only a few events do; each key is read by exactly one stage. */
export interface EventSpecials {
  /** One tool call: `tool_name` and `tool_input` are needed, `if` conditions are read. */
  readonly onTool?: true;
  /** The agent wants to end its turn: context makes it go on too, continuations are counted and capped. */
  readonly endsTurn?: true;
  /** A new prompt: what was counted of the turn before it is forgotten. */
  readonly startsTurn?: true;
  /** The session is over: what lived as long as it did may go. */
  readonly endsSession?: true;
  /** Command hooks get `CLAUDE_ENV_FILE`. */
  readonly envFile?: true;
  /** One limit for all hooks of the event together; a hook's own timeout raises it up to `mostMs`. */
  readonly budget?: {
    readonly ms: number;
    readonly mostMs: number;
    readonly variable: string;
    readonly graceMs: number;
  };
  /** A hook that timed out denies, whatever its failure policy. */
  readonly timeoutDenies?: true;
  /** The default reason of a denial, in place of "Blocked by hook". */
  readonly stockDenial?: string;
  /** With exit 2 the hook's `hookSpecificOutput` is not read. */
  readonly exit2HidesAnswers?: true;
  /** A single value counts only for some payloads. */
  readonly honouredWhen?: { readonly [Name in AnswerName]?: (payload: Payload) => boolean };
  readonly blocksWhen?: (payload: Payload) => boolean;
  /** A hook's `systemMessage` is a text for the model. */
  readonly messageIsContext?: (payload: Payload) => boolean;
  /** A file of an agent that names this event means the other one. */
  readonly insideAgent?: string;
  /** The answer is a folder that must exist and be where the hook may put it. */
  readonly answersPath?: true;
}

const io: readonly HookType[] = ["command", "http", "mcp_tool", "callback"];

/** The type lists that rows choose from. In-process callbacks are accepted everywhere. */
export const hookTypes: Readonly<Record<"all" | "io" | "local" | "stop", readonly HookType[]>> = {
  all: [...io, "prompt", "agent"],
  io,
  local: ["command", "mcp_tool", "callback"],
  stop: [...io, "prompt", "agent", "function"],
};

/** What a table states about an event: what every event has, and what differs from most events. */
export interface RowFacts extends Partial<Omit<EventRow, "name" | "phase">> {
  readonly fires: string;
  readonly fields: Fields;
  readonly app: AppMethod;
}

/** The events of one phase, by name. */
export type EventTable = Readonly<Record<string, RowFacts>>;

/** What most events have in common. */
export const usual: Omit<EventRow, "name" | "phase" | "fires" | "fields"> = {
  since: "2.1.197",
  carries: [],
  matchesOn: null,
  onText: null,
  onBlock: null,
  onOther: "report",
  answers: [],
  decisions: [],
  blockWord: false,
  types: hookTypes.io,
  timeoutMs: null,
  blocks: null,
  awaited: true,
  onFailure: "open",
  onStop: "ignore",
  onNotOk: "deny",
  special: {},
};

/** What most events that a hook can refuse have in common: exit 2 or a top-level `decision: "block"` denies. */
export const refusable = { decisions: ["deny"], blockWord: true } as const satisfies Partial<EventRow>;

/** What hook apps know about an event, in addition to its row. */
export interface AppMethod {
  /** The method that registers for it. */
  readonly method: string;
  /** What a handler may answer. A message for the user and raw fields are legal everywhere. */
  readonly answers: readonly HandlerAnswerName[];
  /** Time limit for all its handlers together. Default: 30 seconds. */
  readonly deadlineMs?: number;
  /** Restarts a warm app that has exited: once at the start of a session, once at every turn. */
  readonly revives?: true;
  /** It comes with every few lines of text, too often to start a process each time. */
  readonly frequent?: true;
}

/** The answers a handler can give. The event's row decides how each is written as JSON. */
export type HandlerAnswerName =
  | "allow"
  | "ask"
  | "deny"
  | "defer"
  | "block"
  | "halt"
  | "context"
  | "updateInput"
  | "patchInput"
  | "updateOutput"
  | "mapOutput"
  | "approvePermission"
  | "denyPermission"
  | "retry"
  | "sessionTitle"
  | "watchPaths"
  | "initialUserMessage"
  | "display"
  | "elicit"
  | "worktree";
