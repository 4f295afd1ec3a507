import { checkOptions } from "../app/argument-checks.ts";
import type { TaskFunction } from "./task.ts";

export interface AgentTaskOptions {
  /** `claude` unless told; anything `hookline ask --agent` takes. */
  readonly agent?: string;
  readonly model?: string;
  /** Permission rules for what it may do without a question: `Read`, `Bash(git diff *)`. */
  readonly tools?: readonly string[];
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  readonly permissionMode?: string;
  readonly timeoutMs?: number;
  /** Another program in place of `hookline`; it is called with `ask` and its options. */
  readonly command?: readonly [string, ...string[]];
}

export interface AgentAnswer {
  readonly answer: string;
  readonly sessionId: string;
  readonly turns: number;
  /** Absent when the model has no known price. */
  readonly costUsd?: number;
}

/**
 * A task that runs one agent session and gives its answer: `app.task("review", agentTask("Review the last commit."))`.
 * With a function the prompt is made from the task's input.
 */
export function agentTask<Input = undefined>(
  prompt: string | ((input: Input) => string),
  options: AgentTaskOptions = {},
): TaskFunction<Input, AgentAnswer> {
  checkOptions(options, agentOptions, "agentTask");
  return async (input, task) => {
    const { runAgent } = await import("./run-agent.ts");
    return runAgent(typeof prompt === "string" ? prompt : prompt(input), options, task);
  };
}

const agentOptions: readonly (keyof AgentTaskOptions)[] = [
  ...(["agent", "model", "tools", "maxTurns", "maxCostUsd"] as const),
  ...(["permissionMode", "timeoutMs", "command"] as const),
];
