import type { StopHooks } from "../engine/index.ts";
import type { ContentBlock } from "../models/index.ts";
import type { Mode } from "../permissions/index.ts";

/** What can be done to a running session from outside: by the person, or by the program that started it. Never by the model. */
export interface AgentControl {
  /** A prompt; it is answered after those before it. */
  prompt(content: string | readonly ContentBlock[], source?: "sdk" | "typed"): void;
  /** No more prompts will come: the session ends when all are answered. */
  end(): void;
  /** Ends the turn that runs, and the agents in the background. */
  interrupt(): void;
  /** Ends every process of the session at once, for whoever cannot wait for its end. */
  abandon(): Promise<void>;
  /** Gives the reason of a refusal. */
  setModel(name: string): Promise<{ readonly refused?: string }>;
  setPermissionMode(mode: Mode): void;
  addDirectory(path: string, source: "slash_command" | "register_repo_root"): Promise<string>;
  /** Before the session begins: a system prompt and kinds of agents of the program. Throws a `Problem` for an agent it cannot use. */
  configure(wishes: SessionWishes): void;
  /** What can be typed with a slash, and which kinds of agents there are. */
  catalog(): Promise<SessionCatalog>;
  readonly stopHooks: StopHooks;
  readonly session: { readonly id: string; readonly transcriptPath: string; readonly permissionMode: Mode };
  /** A hook of the embedding program; `timeout` is in seconds. Contract: throws a `Problem` for an event or a limit there is not. */
  on(
    event: string,
    matcher: string | undefined,
    callback: HookCallback,
    options?: { readonly timeout?: number },
  ): () => void;
}

export type HookCallback = (
  payload: Readonly<Record<string, unknown>>,
  toolUseId: string | undefined,
  signal: AbortSignal,
) => Promise<unknown>;

export interface SessionWishes {
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly agents?: Readonly<Record<string, unknown>>;
}

export interface SessionCatalog {
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  readonly model: string;
}
