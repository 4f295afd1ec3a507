import type { OnLine } from "../exec/internal.ts";
import { fieldOf, parseObject } from "../protocol/internal.ts";
import type { AgentProgram, SessionCall } from "./session-call.ts";

export interface ChildCommand {
  readonly form: "exec";
  readonly file: string;
  readonly args: readonly string[];
}

/** What the child's command line is made of. */
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

function startOf(
  agent: AgentProgram,
  env: ChildPlan["env"],
  program: string,
): { file: string; args: readonly string[] } {
  if (agent === "claude") return { file: env["HOOKLINE_CLAUDE"] || "claude", args: [] };
  if (agent === "hookline") return { file: process.execPath, args: [program, "agent"] };
  return { file: agent.file, args: agent.args ?? [] };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment without the identity of a calling session: the child is a session of its own and writes into no other's transcript.
 * `HOOKLINE_DEPTH` and `HOOKLINE_RUN` stay, so that the recursion guard and the sweep of a run still reach it.
 */
export function childEnvironment(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !identity.has(name) && !name.startsWith("HOOK_")));
}

const identity: ReadonlySet<string> = new Set([
  "CLAUDECODE",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PROJECT_DIR",
  "AI_AGENT",
]);

export type StreamMessage = Readonly<Record<string, unknown>>;

/** The content of the child's stream so far. */
export interface ChildStream {
  /** The last result object. */
  readonly result: StreamMessage | undefined;
  readonly sessionId: string | undefined;
  /** Text of the assistant messages so far, the newest last. */
  readonly texts: readonly string[];
  readonly onLine: OnLine;
}

/** Reads one JSON object per line; other lines stay in the child's output. */
export function childStream(onMessage: (message: StreamMessage) => void): ChildStream {
  let result: StreamMessage | undefined;
  let sessionId: string | undefined;
  const texts: string[] = [];

  function take(message: StreamMessage): void {
    if (message["type"] === "result") result = message;
    if (typeof message["session_id"] === "string") sessionId = message["session_id"];
    // A subagent's words are not the answer.
    if (message["type"] === "assistant" && (message["parent_tool_use_id"] ?? null) === null) {
      const text = textOf(message["message"]);
      if (text !== "") texts.push(text);
    }
    onMessage(message);
  }

  return {
    get result() {
      return result;
    },
    get sessionId() {
      return sessionId;
    },
    texts,
    onLine(line, whole) {
      const message = whole && line.startsWith("{") ? parseObject(line) : undefined;
      if (message === undefined) return "keep";
      take(message);
      return "take";
    },
  };
}

function textOf(message: unknown): string {
  const content = fieldOf(message, "content");
  const blocks = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return blocks
    .flatMap((block) => (fieldOf(block, "type") === "text" ? (fieldOf(block, "text") ?? []) : []))
    .filter((text) => typeof text === "string")
    .join("\n");
}
