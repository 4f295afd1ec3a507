import type { Base64Source, TextBlock } from "../../models/internal.ts";
import type { ToolInput } from "../../protocol/internal.ts";
import type { JsonSchema } from "./check-tool-input.ts";
import type { ReadState } from "./files/file-access.ts";
import type { BackgroundShells } from "./shell/background-shells.ts";

/** One tool of the agent, built in or of a server. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The schema that the model gets; `checkToolInput` checks every call against it. */
  readonly inputSchema: JsonSchema;
  /** Running it changes nothing outside: what a read-only agent may have. */
  readonly readOnly: boolean;
  /** The input as it is meant, paths made absolute: what hooks, rules and the tool itself see. Contract: pure. */
  readonly expand?: (input: ToolInput, context: ToolContext) => ToolInput;
  /** What a schema cannot say about an input: a sentence for the model, or nothing. Asked before any hook, so it changes nothing. */
  readonly refuse?: (input: ToolInput, context: ToolContext) => string | undefined | Promise<string | undefined>;
  /** The shape of `response`. An answer that a hook puts in its place must fit; without one, any value does. */
  readonly responseSchema?: JsonSchema;
  /** What the model sees of a response. Contract: pure; called again when a hook replaced the response. */
  readonly render: (response: unknown) => ToolContent;
  /** Contract: `input` came out of `checkInput`. Rejects only with a bug or when the disk fails in a way no model can act on. */
  readonly run: (input: ToolInput, context: ToolContext) => Promise<ToolResult>;
}

export type ToolContent = string | readonly ToolBlock[];

/** A content block as the Messages API spells it. */
export type ToolBlock = TextBlock | { readonly type: "image"; readonly source: Base64Source };

export type ToolResult = ToolSuccess | ToolError;

export interface ToolSuccess {
  readonly isError: false;
  /** For the model, and `tool_response` of PostToolBatch. */
  readonly content: ToolContent;
  /** `tool_response` of PostToolUse and `toolUseResult` of the transcript. */
  readonly response: unknown;
}

export interface ToolError {
  readonly isError: true;
  /** For the model, and `error` of PostToolUseFailure; `toolUseResult` is `Error: ` and this. */
  readonly content: string;
  /** `is_interrupt`: it ended because the signal was aborted. */
  readonly interrupted: boolean;
}

/** What one call gets from the agent. Each call has its own; what outlives a call is in the objects it refers to. */
export interface ToolContext {
  readonly sessionId: string;
  readonly toolUseId: string;
  /** Aborted when the user interrupts or the run ends. */
  readonly signal: AbortSignal;
  /** The folder now: asked, not kept, since a call beside this one may move. */
  readonly cwd: () => string;
  /**
   * The session moves: the host keeps the folder and fires CwdChanged before PostToolUse may fire. `stayAt`: hooks get the folder,
   * but the session is not let out of its own and goes on there.
   */
  readonly moveTo: (folder: string, stayAt?: string) => Promise<void>;
  /** Where the session started: `CLAUDE_PROJECT_DIR`. */
  readonly projectRoot: string;
  /** Added folders. */
  readonly directories: () => readonly string[];
  /** The whole environment of a shell call. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Env files that hooks wrote, in order of writing: `envFilesOf` of the session's folder. */
  readonly envFiles: () => Promise<readonly string[]>;
  readonly paths: ToolPaths;
  /** As the judgement resolved them: path as given → real path. A path that is not in it is resolved by the tool, once. */
  readonly judgedPaths?: ReadonlyMap<string, string>;
  /** Whether the rules let the model see this file: other files are left out of searches. Default: all files are shown. */
  readonly mayRead?: (path: string) => boolean;
  /** What this thread has read. A subagent has its own. */
  readonly readState: ReadState;
  /** The background commands of the session. */
  readonly shells: BackgroundShells;
  readonly now: () => number;
  /** A short id of lower-case letters and digits, never given twice. */
  readonly newId: () => string;
  /** Shows the user a message; the model does not get it. */
  readonly tell: (message: string) => void;
  /** A file was read or written: the instructions in the folders above it count from now on. */
  readonly fileTouched: (path: string) => Promise<void>;
  readonly taskCreated: (task: TaskNotice) => Promise<HookRefusal | undefined>;
  readonly taskCompleted: (task: TaskNotice) => Promise<HookRefusal | undefined>;
  readonly worktrees: WorktreePort;
}

export interface ToolPaths {
  /** `<session>/tool-results`; made when needed. */
  readonly toolResults: string;
  /** `tasks/<session>`; made when needed. */
  readonly tasks: string;
  /** Where background commands write `<id>.output`; made when needed, for its owner only. */
  readonly outputs: string;
}

/** The fields of TaskCreated and TaskCompleted. */
export interface TaskNotice {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
}

/** A hook refused: the words for the model, the event's framing included (`TaskCreated hook feedback:\n…`). */
export interface HookRefusal {
  readonly reason: string;
}

/** What the host does about worktrees: it fires the events, and keeps where the session is. */
export interface WorktreePort {
  /** Fires WorktreeCreate. `none`: no hook has a say, so git makes the worktree. */
  readonly create: (name: string) => Promise<WorktreeAnswer>;
  /** Fires WorktreeRemove; true when a hook ran, which then has removed the folder or not. */
  readonly remove: (path: string) => Promise<boolean>;
  /** The worktree the session is in, if any. */
  readonly current: () => CurrentWorktree | undefined;
  /** Kept by the host, which writes it to the transcript; undefined after leaving. */
  readonly enter: (worktree: CurrentWorktree | undefined) => Promise<void>;
}

export type WorktreeAnswer =
  | { readonly by: "none" }
  | { readonly by: "hook"; readonly path: string }
  | { readonly by: "failed"; readonly error: string };

export interface CurrentWorktree {
  readonly name: string;
  readonly path: string;
  readonly originalCwd: string;
  /** Made by a hook, so that a hook removes it. */
  readonly hookBased: boolean;
  /** Was there before the session went in, so the session does not remove it. */
  readonly existing?: boolean;
  /** What git made it from; absent for a hook's. */
  readonly branch?: string;
  readonly baseCommit?: string;
}

/** A failure in words; the way every tool says it. */
export function toolError(content: string, interrupted = false): ToolError {
  return { isError: true, content, interrupted };
}

/** A response together with what the model sees of it. */
export function toolSuccess(tool: Pick<Tool, "render">, response: unknown): ToolSuccess {
  return { isError: false, content: tool.render(response), response };
}

/** What a call is about, in the words of its input. */
export function toolSummary(input: Readonly<Record<string, unknown>>): string {
  const about =
    input["command"] ?? input["file_path"] ?? input["pattern"] ?? input["url"] ?? input["description"] ?? "";
  return String(about);
}
