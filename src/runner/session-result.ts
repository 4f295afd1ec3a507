import type { Tokens } from "../sessions/internal.ts";
import type { SessionCall } from "./session-call.ts";

/** The result of one session. */
export interface SessionResult {
  /** The agent's last answer in this run, or its text so far when it was ended. */
  readonly answer: string;
  /** Where `answer` was found: `payload` is that of the Stop hook, `result` what the agent printed. */
  readonly answerSource: "transcript" | "payload" | "result" | "none";
  readonly sessionId: string;
  /** Absent when the agent kept no transcript that could be found. */
  readonly transcriptPath?: string;
  /** How the run ended. `timeout`: `timeoutMs` passed. `limit`: the agent reached `maxTurns` or `maxBudgetUsd`. */
  readonly ended: "answered" | "error" | "timeout" | "interrupted" | "limit";
  /** The child's own; null when it was ended. */
  readonly exitCode: number | null;
  /** What went wrong, for users. */
  readonly error?: string;
  readonly turns: number;
  readonly durationMs: number;
  /** Of this run alone, subagents included; null when no transcript was found and the tokens are unknown. */
  readonly usage: Tokens | null;
  readonly usageByModel: Readonly<Record<string, Tokens>>;
  /** Of the models that have a price; null when the tokens are unknown. */
  readonly costUsd: number | null;
  /** What each model cost; null for a model without a price. */
  readonly costByModel: Readonly<Record<string, number | null>>;
  /** Models without a price, which are not in `costUsd`. */
  readonly unpriced: readonly string[];
  readonly agentReportedCostUsd?: number;
  readonly toolCalls: readonly { readonly name: string; readonly count: number }[];
  readonly denials: readonly { readonly tool: string; readonly toolUseId: string; readonly input: unknown }[];
  readonly warnings: readonly SessionWarning[];
  /** Commands that continue the session, or a copy of it; absent when no session began. */
  readonly resumeCommands?: ResumeCommands;
  /** The agent's own result object, as it printed it. */
  readonly agentResult?: Readonly<Record<string, unknown>>;
}

/** The commands that continue a session, or a copy of it. */
export interface ResumeCommands {
  readonly resume: string;
  readonly fork: string;
}

/** A warning about a run. */
export interface SessionWarning {
  readonly code:
    | "project-settings-skipped"
    | "tokens-differ"
    | "cost-differs"
    | "no-transcript"
    | "hook-not-heard"
    | "observer-threw"
    | "possible-leak";
  readonly message: string;
}

/** The exit status of `ask`: how the child ended. */
export function exitStatusOf({ ended }: Pick<SessionResult, "ended">): number {
  return { answered: 0, timeout: 124, interrupted: 130, error: 1, limit: 1 }[ended];
}

/**
 * The commands that continue a session, and a copy of it. They name what the session needs to be found and answered again: its agent,
 * its folder and its model. An agent with arguments of its own has no form on the command line, so its call is shown instead.
 */
export function resumeCommandsFor(
  sessionId: string,
  call: Pick<SessionCall, "agent" | "cwd" | "model">,
): ResumeCommands {
  const { agent = "claude", cwd, model } = call;
  const command = (fork: boolean): string => {
    if (typeof agent === "object" && (agent.args ?? []).length > 0)
      return `runSession(${JSON.stringify({ agent, resume: sessionId, ...(fork ? { fork } : {}), cwd, model, prompt: "…" })})`;
    const name = typeof agent === "string" ? agent : agent.file;
    return [
      `hookline ask --resume ${sessionId}`,
      ...(fork ? ["--fork"] : []),
      ...(name === "claude" ? [] : [`--agent ${quoted(name)}`]),
      ...(cwd === undefined || cwd === process.cwd() ? [] : [`--cwd ${quoted(cwd)}`]),
      ...(model === undefined ? [] : [`--model ${quoted(model)}`]),
      '"…"',
    ].join(" ");
  };
  return { resume: command(false), fork: command(true) };
}

/** One word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
