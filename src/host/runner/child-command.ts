import type { AgentName, SessionCall } from "./session-call.ts";

export interface ChildCommand {
  readonly form: "exec";
  readonly file: string;
  readonly args: readonly string[];
}

export interface ChildPlan {
  readonly call: SessionCall;
  readonly sessionId: string;
  /** The overlay's settings file. */
  readonly settingsFile: string;
  readonly userSettingsOnly: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command line program of this package, for its own agent. */
  readonly program: string;
}

/** The child's command line. The prompt is not in it: it goes in by stdin. */
export function childCommand({
  call,
  sessionId,
  settingsFile,
  userSettingsOnly,
  env,
  program,
}: ChildPlan): ChildCommand {
  const { agent = "claude", resume, fork, model, permissionMode, allowedTools = [] } = call;
  const start = startOf(agent, env, program);
  return {
    form: "exec",
    file: start.file,
    args: [
      ...start.args,
      ...["-p", "--output-format", "stream-json"],
      // The client wants this word for a stream; ours has no other kind.
      ...(agent === "hookline" ? [] : ["--verbose"]),
      ...(resume === undefined || fork ? ["--session-id", sessionId] : []),
      ...(resume === undefined ? [] : ["--resume", resume]),
      ...(fork ? ["--fork-session"] : []),
      ...["--settings", settingsFile],
      ...(userSettingsOnly ? ["--setting-sources", "user"] : []),
      ...(model === undefined ? [] : ["--model", model]),
      ...(permissionMode === undefined ? [] : ["--permission-mode", permissionMode]),
      ...(call.maxTurns === undefined ? [] : ["--max-turns", String(call.maxTurns)]),
      ...(call.maxBudgetUsd === undefined ? [] : ["--max-budget-usd", String(call.maxBudgetUsd)]),
      ...allowedTools.flatMap((rule) => ["--allowed-tools", rule]),
    ],
  };
}

function startOf(agent: AgentName, env: ChildPlan["env"], program: string): { file: string; args: readonly string[] } {
  if (agent === "claude") return { file: env["HOOKLINE_CLAUDE"] || "claude", args: [] };
  if (agent === "hookline") return { file: process.execPath, args: [program, "agent"] };
  return { file: agent.file, args: agent.args ?? [] };
}
