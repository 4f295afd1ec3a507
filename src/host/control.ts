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
