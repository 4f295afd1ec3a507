import type { Question, StopHooks } from "../engine/internal.ts";
import type { ContentBlock } from "../models/internal.ts";
import type { Mode } from "../permissions/internal.ts";
import { isObject, type PermissionUpdate, type ToolInput } from "../protocol/internal.ts";

/** Controls a running session, for the user or the embedding program. The model cannot reach it. */
export interface AgentControl {
  /** Queues a prompt. */
  prompt(content: string | readonly ContentBlock[], source?: "sdk" | "typed"): void;
  /** No more prompts will come: the session ends when all are answered. */
  end(): void;
  /** Ends the current turn, or the prompt that waits to begin, and all background subagents. */
  interrupt(): void;
  /** Kills every process of the session at once. */
  abandon(): Promise<void>;
  /** Switches the model. `refused` is the reason if a hook or the user refuses the switch. */
  setModel(name: string): Promise<{ readonly refused?: string }>;
  /** Switches the permission mode. */
  setPermissionMode(mode: Mode): void;
  /** Adds a working directory; returns its real path. */
  addDirectory(path: string, source: "slash_command" | "register_repo_root"): Promise<string>;
  /** Sets the system prompt and adds subagents, before the session begins. Throws a `Problem` for an invalid subagent. */
  configure(setup: SessionSetup): void;
  /** Lists the slash commands and the kinds of subagents. */
  catalog(): Promise<SessionCatalog>;
  /** Function hooks on Stop. */
  readonly stopHooks: StopHooks;
  /** The session that runs. */
  readonly session: { readonly id: string; readonly transcriptPath: string; readonly permissionMode: Mode };
  /** Registers a hook of the embedding program; `timeout` is in seconds. Throws a `Problem` for an unknown event or option. */
  on(
    event: string,
    matcher: string | undefined,
    callback: HookCallback,
    options?: { readonly timeout?: number },
  ): () => void;
}

/** A hook of the embedding program; returns the JSON of a hook's answer. */
export type HookCallback = (
  payload: Readonly<Record<string, unknown>>,
  toolUseId: string | undefined,
  signal: AbortSignal,
) => Promise<unknown>;

/** What a program sets before the session starts. */
export interface SessionSetup {
  /** Replaces the agent's system prompt. */
  readonly systemPrompt?: string;
  /** Follows the system prompt. */
  readonly appendSystemPrompt?: string;
  /** Additional subagents, by name. */
  readonly subagents?: Readonly<Record<string, unknown>>;
}

/** What a session offers: commands, subagents and its model. */
export interface SessionCatalog {
  /** Slash commands. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  /** Kinds of subagents. */
  readonly subagents: readonly { readonly name: string; readonly description: string }[];
  /** The current model. */
  readonly model: string;
}

/** Answers questions: the user at the terminal, or the program at the other end of the protocol. */
export interface UserPort {
  /** Answers a permission question; without it every call is denied. Contract: called for one question at a time; rejects only with the signal's reason. */
  permission?(question: PermissionQuestion, signal: AbortSignal): Promise<UserAnswer>;
  /** Answers a hook's question with the key of an option; undefined when the user refuses. */
  question?(question: Question, signal: AbortSignal): Promise<string | undefined>;
  /** Answers a yes-or-no question. */
  confirm?(text: string, signal: AbortSignal): Promise<boolean>;
  /** Fills in a form of an MCP server. */
  elicit?(form: ElicitationForm, signal: AbortSignal): Promise<ElicitationAnswer>;
}

export const userQuestions: readonly (keyof UserPort)[] = ["permission", "question", "confirm", "elicit"];

/** A port without any of them, such as one with a misspelled name, would deny every call. */
export function isUserPort(value: unknown): boolean {
  if (!isObject(value)) return false;
  const answers = userQuestions.map((name) => value[name]).filter((answer) => answer !== undefined);
  return answers.length > 0 && answers.every((answer) => typeof answer === "function");
}

/** A question whether a tool call may run. */
export interface PermissionQuestion {
  /** The tool to run. */
  readonly tool: string;
  /** Its input. */
  readonly input: ToolInput;
  /** The id of the call. */
  readonly toolUseId: string;
  /** Why the user is asked. */
  readonly reason: string;
  /** Rule changes that would make the question unnecessary. */
  readonly suggestions: readonly PermissionUpdate[];
  /** The path that needs permission. */
  readonly blockedPath?: string;
  /** The type of the subagent that asks. */
  readonly subagentType?: string;
}

/** The answer to a permission question. */
export type UserAnswer =
  | {
      readonly behavior: "allow";
      /** In place of the input that was asked about. */
      readonly input?: ToolInput;
      /** Rule changes to make. */
      readonly updates?: readonly PermissionUpdate[];
    }
  | {
      readonly behavior: "deny";
      /** For the model. */
      readonly message?: string;
      /** Also ends the turn. */
      readonly interrupt?: boolean;
    };

/** A form of an MCP server. */
export interface ElicitationForm {
  /** The MCP server that asks. */
  readonly server: string;
  /** What it asks. */
  readonly message: string;
  /** JSON Schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The answer to a server's form. */
export interface ElicitationAnswer {
  /** What the user did. */
  readonly action: "accept" | "decline" | "cancel";
  /** The values, when accepted. */
  readonly content?: Readonly<Record<string, unknown>>;
}
