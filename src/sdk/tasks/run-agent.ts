import { spawn } from "node:child_process";
import { packageFile } from "../../files/internal.ts";
import { defined, parseObject } from "../../protocol/internal.ts";
import type { AgentAnswer, AgentTaskOptions, TaskContext } from "./task.ts";

/** One agent session through `hookline ask --json`. Contract: rejects with the agent's error when it did not answer. */
export async function runAgentTask(prompt: string, options: AgentTaskOptions, task: TaskContext): Promise<AgentAnswer> {
  const [program, ...args] = options.command ?? [process.execPath, packageFile("dist/cli/bin.cjs")];
  const { stdout, stderr, code } = await run(program, [...args, ...argumentsOf(options, task)], prompt, task);
  const result = parseObject(stdout) as ResultObject | undefined;
  const lastLine = stderr.trimEnd().split("\n").at(-1);
  if (result === undefined) throw new Error(`the agent did not answer: ${lastLine || `exit status ${code}`}`);
  if (result.is_error || typeof result.result !== "string") {
    throw new Error(`the agent did not answer: ${result.hookline?.error ?? result.subtype ?? "an error"}`);
  }
  return {
    answer: result.result,
    sessionId: result.session_id ?? "",
    turns: result.num_turns ?? 0,
    ...defined({ costUsd: result.total_cost_usd ?? undefined }),
  };
}

interface ResultObject {
  readonly is_error?: boolean;
  readonly subtype?: string;
  readonly result?: unknown;
  readonly session_id?: string;
  readonly num_turns?: number;
  readonly total_cost_usd?: number | null;
  readonly hookline?: { readonly error?: string };
}

/** The prompt goes in by standard input: it may be long, and other users can read a command line. */
function argumentsOf(options: AgentTaskOptions, { cwd }: TaskContext): string[] {
  const { agent, model, tools = [], maxTurns, maxCostUsd, permissionMode, timeoutMs } = options;
  const named = {
    cwd,
    agent,
    model,
    "max-turns": maxTurns,
    "max-budget-usd": maxCostUsd,
    "permission-mode": permissionMode,
    timeout: timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1_000),
  };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return [
    ...["ask", "-", "--json"],
    ...given.map(([name, value]) => `--${name}=${String(value)}`),
    ...tools.map((tool) => `--allowed-tools=${tool}`),
  ];
}

/** `ask` ends the agent's whole process tree on SIGTERM; it gets some time for that. */
function run(
  program: string,
  args: readonly string[],
  input: string,
  { cwd, env, signal }: TaskContext,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }> {
  return new Promise((done, fail) => {
    const child = spawn(program, [...args], { cwd, env: { ...env }, stdio: "pipe" });
    const out = tailBuffer(mostResultBytes);
    const err = tailBuffer(mostErrorBytes);
    let last: NodeJS.Timeout | undefined;
    const end = () => {
      child.kill("SIGTERM");
      last = setTimeout(() => child.kill("SIGKILL"), graceMs);
    };
    signal.addEventListener("abort", end, { once: true });
    child.stdout.on("data", out.add);
    child.stderr.on("data", err.add);
    // An agent that does not read its prompt reports why when it ends.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    child.on("error", fail);
    child.on("close", (code) => {
      clearTimeout(last);
      signal.removeEventListener("abort", end);
      done({ stdout: out.text(), stderr: err.text(), code });
    });
    if (signal.aborted) end();
  });
}

const graceMs = 5_000;
/** More than a result object with the longest answer. */
const mostResultBytes = 64 * 2 ** 20;
const mostErrorBytes = 64 * 2 ** 10;

/** Keeps only the end of a stream, so that endless output cannot fill memory. */
function tailBuffer(mostBytes: number): { add(chunk: Buffer): void; text(): string } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      while (bytes > mostBytes) bytes -= chunks.shift()?.length ?? bytes;
    },
    text: () => Buffer.concat(chunks).toString(),
  };
}
