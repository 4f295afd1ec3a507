import type { CommandLine, OnLine } from "../exec/internal.ts";
import { fieldOf, parseObject } from "../protocol/internal.ts";
import type { AgentProgram, SessionCall } from "./session-call.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the child's command line is made of. */
export interface ChildPlan {
  readonly call: SessionCall;
  readonly sessionId: string;
  /** The settings file of the mailbox. */
  readonly settingsFile: string;
  readonly userSettingsOnly: boolean;
  readonly env: Environment;
  /** The command line program of this package, for its own agent. */
  readonly program: string;
}

/** The child's command line, without the prompt, which goes to stdin. */
export function childCommand(plan: ChildPlan): CommandLine {
  const { call, sessionId, settingsFile, userSettingsOnly, env, program } = plan;
  const { agent = "claude", resume, fork, allowedTools = [] } = call;
  const { file, args = [] } = programOf(agent, env, program);
  return {
    form: "exec",
    file,
    args: [
      ...args,
      ...["-p", "--output-format", "stream-json"],
      // Claude Code requires this flag for a stream; ours does not have it.
      ...(agent === "hookline" ? [] : ["--verbose"]),
      ...flag("--session-id", resume === undefined || fork ? sessionId : undefined),
      ...flag("--resume", resume),
      ...(fork ? ["--fork-session"] : []),
      ...flag("--settings", settingsFile),
      ...flag("--setting-sources", userSettingsOnly ? "user" : undefined),
      ...flag("--model", call.model),
      ...flag("--permission-mode", call.permissionMode),
      ...flag("--max-turns", call.maxTurns),
      ...flag("--max-budget-usd", call.maxBudgetUsd),
      ...allowedTools.flatMap((rule) => flag("--allowed-tools", rule)),
    ],
  };
}

function programOf(agent: AgentProgram, env: Environment, program: string): Exclude<AgentProgram, string> {
  if (agent === "claude") return { file: env["HOOKLINE_CLAUDE"] || "claude" };
  return agent === "hookline" ? { file: process.execPath, args: [program, "agent"] } : agent;
}

function flag(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}

/**
 * The environment without the identity of a calling session: the child is a session of its own and writes to its own transcript.
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
  result: StreamMessage | undefined;
  sessionId: string | undefined;
  /** Text of the assistant messages so far, the newest last. */
  readonly texts: string[];
  readonly onLine: OnLine;
}

/** Reads one JSON object per line; other lines stay in the child's output. */
export function childStream(onMessage: (message: StreamMessage) => void): ChildStream {
  const stream: ChildStream = {
    result: undefined,
    sessionId: undefined,
    texts: [],
    onLine(line, whole) {
      const message = whole && line.startsWith("{") ? parseObject(line) : undefined;
      if (message === undefined) return "keep";
      take(message);
      return "take";
    },
  };

  function take(message: StreamMessage): void {
    if (message["type"] === "result") stream.result = message;
    if (typeof message["session_id"] === "string") stream.sessionId = message["session_id"];
    // The text of a subagent is not the answer.
    if (message["type"] === "assistant" && (message["parent_tool_use_id"] ?? null) === null) {
      const text = textOf(message["message"]);
      if (text !== "") stream.texts.push(text);
    }
    onMessage(message);
  }

  return stream;
}

function textOf(message: unknown): string {
  const content = fieldOf(message, "content");
  const blocks = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return blocks
    .flatMap((block) => (fieldOf(block, "type") === "text" ? (fieldOf(block, "text") ?? []) : []))
    .filter((text) => typeof text === "string")
    .join("\n");
}
