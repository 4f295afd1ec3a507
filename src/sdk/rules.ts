import type { EventName } from "../protocol/index.ts";
import type { AnswerKind } from "./answer.ts";

/**
 * What this door knows of an event beyond its row: the method that registers for it, the answers that are legal there and
 * how a refusal is spelled. The row itself would bring the whole catalog into every hook process; a test holds the two together.
 */
export const rules = {
  PreToolUse: {
    method: "preTool",
    matches: "tool_name",
    tool: true,
    refusal: "deny",
    form: "permission",
    legal: ["allow", "ask", "deny", "defer", "updateInput", "patchInput", "context", "halt"],
  },
  PermissionRequest: {
    method: "onPermission",
    matches: "tool_name",
    tool: true,
    refusal: "denyPermission",
    form: "specific",
    legal: ["approvePermission", "denyPermission"],
  },
  PermissionDenied: {
    method: "onPermissionDenied",
    matches: "tool_name",
    tool: true,
    form: "specific",
    legal: ["retry"],
  },
  PostToolUse: {
    method: "postTool",
    matches: "tool_name",
    tool: true,
    refusal: "block",
    form: "specific",
    legal: ["block", "context", "updateOutput", "mapOutput", "halt"],
  },
  PostToolUseFailure: {
    method: "postToolFailure",
    matches: "tool_name",
    tool: true,
    refusal: "block",
    form: "specific",
    legal: ["block", "context", "halt"],
  },
  PostToolBatch: { method: "onToolBatch", refusal: "block", form: "specific", legal: ["block", "context", "halt"] },
  UserPromptSubmit: {
    method: "onPrompt",
    refusal: "block",
    form: "specific",
    legal: ["block", "context", "sessionTitle", "halt"],
    deadlineMs: 20_000,
  },
  UserPromptExpansion: {
    method: "onPromptExpansion",
    matches: "command_name",
    refusal: "block",
    form: "specific",
    legal: ["block", "context", "halt"],
  },
  SessionStart: {
    method: "onSessionStart",
    matches: "source",
    form: "specific",
    legal: ["context", "watchPaths", "initialUserMessage", "sessionTitle"],
    command: true,
  },
  SessionEnd: { method: "onSessionEnd", matches: "reason", form: "plain", legal: [], deadlineMs: 1_000 },
  Setup: { method: "onSetup", matches: "trigger", form: "specific", legal: ["context"], command: true },
  SubagentStart: { method: "onSubagentStart", matches: "agent_type", form: "specific", legal: ["context"] },
  Stop: {
    method: "onStop",
    refusal: "block",
    form: "specific",
    legal: ["block", "context", "halt"],
    refusesOncePerTurn: true,
  },
  SubagentStop: {
    method: "onSubagentStop",
    matches: "agent_type",
    refusal: "block",
    form: "specific",
    legal: ["block", "context", "halt"],
    refusesOncePerTurn: true,
  },
  StopFailure: { method: "onStopFailure", matches: "error", form: "plain", legal: [] },
  TaskCreated: { method: "onTaskCreated", refusal: "block", form: "exit", legal: ["block"], command: true },
  TaskCompleted: { method: "onTaskCompleted", refusal: "block", form: "exit", legal: ["block"], command: true },
  TeammateIdle: { method: "onTeammateIdle", refusal: "block", form: "exit", legal: ["block"], command: true },
  ConfigChange: {
    method: "onConfigChange",
    matches: "source",
    refusal: "block",
    form: "exit",
    legal: ["block"],
    command: true,
  },
  PreCompact: {
    method: "onPreCompact",
    matches: "trigger",
    refusal: "block",
    form: "exit",
    legal: ["block", "context"],
    command: true,
  },
  PostCompact: { method: "onPostCompact", matches: "trigger", form: "plain", legal: [] },
  WorktreeCreate: {
    method: "onWorktreeCreate",
    refusal: "block",
    form: "path",
    legal: ["worktree", "block"],
    command: true,
  },
  WorktreeRemove: { method: "onWorktreeRemove", form: "plain", legal: [] },
  MessageDisplay: { method: "onMessageDisplay", form: "specific", legal: ["display"], deadlineMs: 5_000 },
  Elicitation: {
    method: "onElicitation",
    matches: "mcp_server_name",
    refusal: "block",
    form: "elicit",
    legal: ["elicit", "block"],
  },
  ElicitationResult: {
    method: "onElicitationResult",
    matches: "mcp_server_name",
    refusal: "block",
    form: "elicit",
    legal: ["elicit", "block"],
  },
  CwdChanged: { method: "onCwdChanged", form: "specific", legal: ["watchPaths"] },
  FileChanged: {
    method: "onFileChanged",
    matches: "file_path",
    part: "basename",
    form: "specific",
    legal: ["watchPaths"],
  },
  DirectoryAdded: { method: "onDirectoryAdded", matches: "source", form: "plain", legal: [] },
  InstructionsLoaded: { method: "onInstructionsLoaded", matches: "load_reason", form: "plain", legal: [] },
  Notification: { method: "onNotification", matches: "notification_type", form: "specific", legal: [] },
  PreModelSwitch: {
    method: "onPreModelSwitch",
    matches: "to_model",
    refusal: "deny",
    form: "permission",
    legal: ["allow", "ask", "deny"],
  },
  PostModelSwitch: { method: "onPostModelSwitch", matches: "to_model", form: "specific", legal: ["context"] },
} as const;

/** One line of the table above, for code that does not know which. */
export interface Rule {
  readonly method: string;
  /** The field that `what` of a registration is compared with; none: every handler is meant. */
  readonly matches?: string;
  readonly part?: "basename";
  /** One tool call: `input` and `response` are data of the tool. */
  readonly tool?: true;
  /** The strictest answer, in the event's own word; none: nothing can be refused here. */
  readonly refusal?: "deny" | "block" | "denyPermission";
  /** A failed handler refuses while `stop_hook_active` is false only. */
  readonly refusesOncePerTurn?: true;
  /**
   * `permission`: `permissionDecision`. `specific`: `hookSpecificOutput` and, to refuse, `decision: "block"`. `exit`: exit 2 with
   * the reason on stderr, context as plain text. `path`: plain text; exit 1 to refuse. `elicit`: an action. `plain`: nothing.
   */
  readonly form: "permission" | "specific" | "exit" | "path" | "elicit" | "plain";
  readonly legal: readonly AnswerKind[];
  /** The event needs a command entry in settings: its answer is an exit code or text, or no http hook is called for it. */
  readonly command?: true;
  readonly deadlineMs?: number;
}

type Rules = typeof rules;

export type MethodOf<Name extends EventName> = Rules[Name]["method"];

/** The answers a handler of this event may give; a message for the person and raw fields are legal everywhere. */
export type LegalKind<Name extends EventName> = Rules[Name]["legal"][number] | "systemMessage" | "raw";

/** The events about one tool call. */
export type ToolEventName = { [Name in EventName]: Rules[Name] extends { tool: true } ? Name : never }[EventName];

const unknownEvent: Rule = { method: "on", form: "plain", legal: [] };
const known: Readonly<Record<EventName, Rule>> = rules;

/** Contract: an event this package does not know has a rule too; only raw fields and messages are legal there. */
export function ruleOf(event: string): Rule {
  return Object.hasOwn(known, event) ? known[event as EventName] : unknownEvent;
}

export function isLegal(rule: Rule, kind: AnswerKind): boolean {
  return kind === "systemMessage" || kind === "raw" || rule.legal.includes(kind);
}

/** What a whole chain of handlers may take unless the author says otherwise. */
export const defaultDeadlineMs = 30_000;

/** Whether settings must name a command for this event: its answer is an exit code or text, or no http hook is called for it. */
export function needsCommand(event: string): boolean {
  return ruleOf(event).command === true;
}

/** What the handlers of an event may take together unless their author says otherwise. */
export function usualDeadlineMs(event: string): number {
  return ruleOf(event).deadlineMs ?? defaultDeadlineMs;
}
