import type { HookModelUsage, HookRef, Payload, RunRecord, ToolInput, Warning } from "../protocol/internal.ts";

/** What a host provides to the engine. Each port is optional; without it, hooks that need it are skipped and reported. */
export interface Ports {
  /** The time of records. Default: the system clock. */
  readonly clock?: Clock;
  /** Runs prompt hooks. */
  readonly model?: ModelPort;
  /** Runs agent hooks. */
  readonly agent?: AgentPort;
  /** Runs MCP tool hooks. */
  readonly mcp?: McpPort;
  /** Asks the user the questions of hooks. */
  readonly asker?: Asker;
  /** Wakes an idle agent with a text for the model. */
  readonly wake?: (call: WakeRequest) => void;
  /** Permission rules of the host. Default: the rules of the settings. */
  readonly judge?: Judge;
  /** Receives every run and change. Contract: cannot delay or change an outcome; what it throws is a warning. */
  readonly observe?: (notice: Notice) => void;
}

/** The time source of the engine, set as the `clock` port. */
export interface Clock {
  /** Milliseconds since 1970; parts of a millisecond make durations finer. */
  now(): number;
}

/** The reply a prompt or agent hook must give; any other shape is a failure. */
export interface ModelReply {
  /** Whether the condition of the hook is met. */
  readonly ok: boolean;
  /** Shown to the agent when it is not met. */
  readonly reason?: string;
  /** It can never be met. */
  readonly impossible?: boolean;
}

/** What a prompt or agent hook asks a model. */
export interface ModelQuestion {
  /** The text of the hook, filled in. */
  readonly prompt: string;
  /** Without a name: the port's small, fast one. */
  readonly model?: string;
  /** JSON Schema of the reply that is asked for. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The conversation so far, on events at the end of a turn, when the host provides it. */
  readonly conversation?: readonly unknown[];
  /** For an agent hook: names of tools in addition to those that only read. */
  readonly tools?: readonly string[];
  /** The hook that asks. */
  readonly hook: HookRef;
}

/** Called after each model call, whatever the hook answers. The values are part of the run record. */
export type SpentReport = (spent: HookModelUsage) => void;

/** Contract: resolves with what the model replied, parsed or as text; rejects on API errors. */
export type ModelPort = (call: ModelQuestion, signal: AbortSignal, spent?: SpentReport) => Promise<unknown>;

/** Contract: a sub-conversation with tools whose turns the port limits; resolves with its structured reply. */
export type AgentPort = (call: ModelQuestion, signal: AbortSignal, spent?: SpentReport) => Promise<unknown>;

/** Contract: does not connect on its own; `connected: false` when the server is not connected. */
export type McpPort = (
  call: { readonly server: string; readonly tool: string; readonly input: ToolInput },
  signal: AbortSignal,
) => Promise<McpResult>;

/** The result of an MCP tool call, returned by the `mcp` port. */
export type McpResult =
  | { readonly connected: false }
  | { readonly connected: true; readonly text: string; readonly isError: boolean };

/** A question of a command hook to the user, passed to the `asker` port. */
export interface Question {
  /** Identifies the question. */
  readonly id: string;
  /** What to ask the user. */
  readonly message: string;
  /** The possible answers; `key` selects one. */
  readonly options: readonly { readonly key: string; readonly label: string; readonly description?: string }[];
  /** The hook that asks. */
  readonly hook: HookRef;
  /** One line about the tool call it concerns, or empty. */
  readonly summary: string;
}

/** Contract: resolves with the chosen key, or undefined when the user declines. */
export type Asker = (question: Question, signal: AbortSignal) => Promise<string | undefined>;

/** A request to wake an idle agent with a text, passed to the `wake` port. */
export interface WakeRequest {
  /** The session to wake. */
  readonly sessionId: string;
  /** The background hook. */
  readonly hook: HookRef;
  /** What it was started for: event and matched value, as in `PostToolUse:Bash`. */
  readonly occasion: string;
  /** What to tell the agent. */
  readonly text: string;
}

/** What the permission rules say of a call that hooks allowed. */
export type JudgeAnswer =
  | { readonly decision: "allow"; readonly reason?: string; readonly byRule?: boolean }
  | {
      readonly decision: "ask" | "deny";
      /** Shown to the user and given to the model. */
      readonly reason: string;
      /** False when no rule speaks of the call and only the permission mode decided: then the hook's allow counts. Default: true. */
      readonly byRule?: boolean;
      /** The rule's text. */
      readonly rule?: string;
    };

/**
 * Permission rules of the host's own, asked about every call that hooks allowed.
 *
 * Contract: answers within `judgeTimeoutMs`; `signal` is aborted when the event is cancelled or the time is up. A judge that throws,
 * takes longer or answers anything else never ends as allow: the user is asked, or the call is denied where the event cannot ask, and
 * the outcome has the warning `judge-failed`.
 */
export type Judge = (
  tool: string,
  input: ToolInput,
  payload: Partial<Payload>,
  signal: AbortSignal,
) => JudgeAnswer | Promise<JudgeAnswer>;

/** An event of the engine, such as a hook run or a settings change, passed to the `observe` port. */
export type Notice =
  /** A hook has run. */
  | { readonly kind: "run"; readonly record: RunRecord; readonly event: string; readonly sessionId: string }
  /** The settings were reloaded. Show `warnings`, those of loading: a misspelled event or type removes a hook. */
  | { readonly kind: "snapshot-changed"; readonly fingerprint: string; readonly warnings: readonly Warning[] }
  /** A ConfigChange hook rejected a change of a settings file; the old content stays in effect. */
  | { readonly kind: "change-refused"; readonly file: string; readonly reason: string }
  /** Hooks made the agent continue `stopBlockCap` times in a row; the turn ends. */
  | { readonly kind: "stop-cap"; readonly sessionId: string; readonly reason: string }
  /** A background hook has ended. */
  | { readonly kind: "background-ended"; readonly id: string; readonly record: RunRecord }
  /** A stop hook was added or removed at run time. */
  | { readonly kind: "stop-hook-added" | "stop-hook-removed"; readonly hook: HookRef }
  /** A stop hook that was added at run time has run. */
  | { readonly kind: "stop-hook-ran"; readonly hook: HookRef; readonly record: RunRecord };
