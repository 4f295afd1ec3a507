import { checkOptions, describeType, sdkProblem } from "../app/argument-checks.ts";
import type { Logger } from "../log/logger.ts";

/** A named function of the hooks file, with JSON in and out, so that another process can run it. */
export type TaskFunction<Input, Output> = (input: Input, task: TaskContext) => Output | Promise<Output>;

/** What a task gets. It may run in another process than the hook that added it. */
export interface TaskContext {
  /** Aborted when the job is cancelled, takes too long, or its worker ends. */
  readonly signal: AbortSignal;
  /** The log of the app. */
  readonly log: Logger;
  /** The folder of the event that added the job, and its project. */
  readonly cwd: string;
  /** The project of the event. */
  readonly projectDir: string;
  /** Its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The id of the job. */
  readonly id: string;
  /** The key of the job. */
  readonly key: string;
  /** The session that added it. */
  readonly session: string;
  /** 1 for the first try. */
  readonly attempt: number;
}

/** Options of `app.task`. */
export interface TaskOptions {
  /** How long a result is kept. Default: five minutes. */
  readonly ttlMs?: number;
  /** Higher runs earlier, from -1000 to 1000. Default: 0. */
  readonly priority?: number;
  /** After this the job fails as `timed-out`. Default: ten minutes. */
  readonly timeoutMs?: number;
  /** How often a job is started when its workers die. Default: once. */
  readonly attempts?: number;
}

/** What `app.task` gives back; `ctx.tasks` takes it wherever a key is wanted. */
export interface TaskRef<Input = unknown, Output = unknown> {
  /** With the name of the blueprint it belongs to: `notify/send`. */
  readonly name: string;
  /** The key of its jobs unless another is given. */
  readonly key: string;
  /** For the type checker only; never there. */
  readonly "~types"?: { readonly input: Input; readonly output: Output };
}

/** A task that was registered with `app.task`. */
export interface TaskDefinition {
  /** The name, unique in the app. */
  readonly name: string;
  /** Does the work. */
  readonly run: TaskFunction<never, unknown>;
  /** Defaults of its jobs. */
  readonly options: TaskOptions;
}

/** The tasks of an app by name. */
export type TaskTable = ReadonlyMap<string, TaskDefinition>;

const taskOptions: readonly (keyof TaskOptions)[] = ["ttlMs", "priority", "timeoutMs", "attempts"];

/** Puts a task on an app's or blueprint's table and gives its reference. */
export function addTask(
  table: Map<string, TaskDefinition>,
  space: string | undefined,
  args: readonly unknown[],
): TaskRef<never, never> {
  const [key, run, options = {}] = args;
  const isOptions = typeof options === "object" && options !== null;
  if (typeof key !== "string" || key === "" || typeof run !== "function" || !isOptions) {
    throw sdkProblem("bad-task", "A task is registered as task(name, function, options?).");
  }
  const name = space === undefined ? key : `${space}/${key}`;
  if (table.has(name)) throw taken(name);
  checkOptions(options, taskOptions, `task ${name}`);
  table.set(name, { name, run: run as TaskDefinition["run"], options: options as TaskOptions });
  return Object.freeze({ name, key });
}

/** What an included blueprint brings along. Contract: throws before anything is added. */
export function joinTasks(table: Map<string, TaskDefinition>, added: TaskTable): void {
  for (const name of added.keys()) if (table.has(name)) throw taken(name);
  for (const [name, definition] of added) table.set(name, definition);
}

function taken(name: string): Error {
  return sdkProblem("task-taken", `There is a task called "${name}" already. Choose another name.`, { name });
}

/** Options of `agentTask`. */
export interface AgentTaskOptions {
  /** Anything `hookline ask --agent` takes. Default: `claude`. */
  readonly agent?: string;
  /** Default: the agent's own. */
  readonly model?: string;
  /** Permission rules for what it may do without a question: `Read`, `Bash(git diff *)`. */
  readonly tools?: readonly string[];
  /** Ends the agent after this many turns. */
  readonly maxTurns?: number;
  /** Ends the agent when it has cost this much. */
  readonly maxCostUsd?: number;
  /** The permission mode of the agent, such as `plan`. */
  readonly permissionMode?: string;
  /** Ends the agent after this time. */
  readonly timeoutMs?: number;
  /** Another program in place of `hookline`; it is called with `ask` and its options. */
  readonly command?: readonly [string, ...string[]];
}

/** The result of a task created with `agentTask`. */
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
  if (typeof prompt !== "string" && typeof prompt !== "function") {
    const message = `The prompt of agentTask must be a string or a function, not ${describeType(prompt)}.`;
    throw sdkProblem("bad-task", message);
  }
  checkOptions(options, agentOptions, "agentTask");
  return async (input, task) => {
    const { runAgentTask } = await import("./run-agent.ts");
    return runAgentTask(typeof prompt === "string" ? prompt : prompt(input), options, task);
  };
}

const agentOptions: readonly (keyof AgentTaskOptions)[] = [
  ...(["agent", "model", "tools", "maxTurns", "maxCostUsd"] as const),
  ...(["permissionMode", "timeoutMs", "command"] as const),
];
