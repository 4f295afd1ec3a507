import { checkAll, checkNamed, checkOf, isObject, mustBe, type OptionCheck, Problem } from "../protocol/internal.ts";
import { uuidPattern } from "../sessions/internal.ts";

/** An agent that takes Claude Code's flags: Claude Code itself, this package's own, or a program of that kind. */
export type AgentProgram = "claude" | "hookline" | { readonly file: string; readonly args?: readonly string[] };

/** One session of an agent, run as a child in its own headless mode. */
export interface SessionCall {
  /** The agent to run. Default: `claude`. */
  readonly agent?: AgentProgram;
  /** Sent on standard input. */
  readonly prompt: string;
  /** The folder to run in. Default: that of this process. */
  readonly cwd?: string;
  /** The id of the session. Default: a new one. */
  readonly sessionId?: string;
  /** Continues this session; with `fork`, a copy of it. */
  readonly resume?: string;
  /** Continues in a copy of the session. */
  readonly fork?: boolean;
  /** The model, as the agent's `--model` takes it. */
  readonly model?: string;
  /** Additional settings, as an object. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** As the agent's `--permission-mode` takes it. */
  readonly permissionMode?: string;
  /** Tools that need no question, as rules. */
  readonly allowedTools?: readonly string[];
  /** The agent ends the run after this many turns (its `--max-turns`). Default: no limit. */
  readonly maxTurns?: number;
  /** The agent ends the run when it has cost more than this (its `--max-budget-usd`). Default: no limit. */
  readonly maxBudgetUsd?: number;
  /** Ends the session after this time. Default: none. */
  readonly timeoutMs?: number;
  /** Aborting it ends the session. */
  readonly signal?: AbortSignal;
  /** The environment of the child. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Loads project settings although their hooks are not approved. */
  readonly projectSettings?: boolean;
  /** Gets messages and hook payloads while the session runs. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/** What the caller gets while a session runs. */
export type SessionEvent =
  /** One line of the child's own stream. */
  | { readonly kind: "message"; readonly message: Readonly<Record<string, unknown>> }
  /** The payload of the agent's Stop, StopFailure or SessionEnd hook. */
  | { readonly kind: "hook"; readonly payload: Readonly<Record<string, unknown>> };

/** Contract: throws for an invalid call; everything that happens later is in the result. */
export function checkSessionCall(call: SessionCall): void {
  checkNamed("runSession", call, checks);
  if (typeof call.prompt !== "string" || call.prompt.trim() === "") {
    throw new Problem("host/no-prompt", "The prompt is empty. Give the agent something to do.");
  }
  for (const name of ["sessionId", "resume"] as const) {
    const id = call[name];
    if (id !== undefined && !uuidPattern.test(id)) {
      throw new Problem("host/bad-session-id", `${name} "${id}" is not a UUID.`, { about: { [name]: id } });
    }
  }
  if (call.sessionId !== undefined && call.resume !== undefined && !call.fork) {
    throw new Problem("host/bad-session-id", "A resumed session keeps its id. Omit sessionId, or set fork.");
  }
  if (call.fork && call.resume === undefined) {
    throw new Problem("host/bad-session-id", "fork requires resume, the id of the session to copy.");
  }
}

/** Those without a check are checked below, or by the agent that gets them. */
const checks: Readonly<Record<keyof SessionCall, OptionCheck | undefined>> = {
  agent: checkOf(
    '"claude", "hookline" or an object with the file of a program',
    (value) => value === "claude" || value === "hookline" || (isObject(value) && typeof value["file"] === "string"),
  ),
  ...checkAll(undefined, "prompt", "sessionId", "resume"),
  ...checkAll(mustBe.boolean, "fork", "projectSettings"),
  ...checkAll(mustBe.text, "cwd", "model", "permissionMode"),
  ...checkAll(mustBe.object, "settings", "env"),
  allowedTools: mustBe.textList,
  maxTurns: mustBe.wholeNumber,
  maxBudgetUsd: mustBe.positiveNumber,
  timeoutMs: checkOf("a number of milliseconds above 0", (value) => typeof value === "number" && value > 0),
  signal: mustBe.abortSignal,
  onEvent: mustBe.function,
};
