import type { Base64Source, TextBlock } from "../../models/internal.ts";
import type { ToolInput } from "../../protocol/internal.ts";
import type { ReadState } from "./files/file-access.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { BackgroundShells } from "./shell/background-shells.ts";
import type { StoredTask } from "./tasks/task-store.ts";

/** One tool of the agent: built in, or from a server. */
export interface Tool {
  /** For the model and for rules. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** The schema that the model gets; `checkToolInput` checks every call against it. */
  readonly inputSchema: JsonSchema;
  /** Running it changes nothing outside the session, so a read-only agent may have it. */
  readonly readOnly: boolean;
  /** The input with absolute paths, as hooks, rules and the tool itself get it. Contract: pure. */
  readonly expand?: (input: ToolInput, context: ToolContext) => ToolInput;
  /** Checks what a schema cannot express: a sentence for the model, or undefined. Called before any hook, so it changes nothing. */
  readonly refuse?: (input: ToolInput, context: ToolContext) => string | undefined | Promise<string | undefined>;
  /** The shape of `response`. A response from a hook must fit it. Default: any value fits. */
  readonly responseSchema?: JsonSchema;
  /** What the model sees of a response. Contract: pure; called again when a hook replaced the response. */
  readonly render: (response: unknown) => ToolContent;
  /** Contract: `input` comes from `checkToolInput`. Rejects only for a bug, or for an error of the disk that a model cannot act on. */
  readonly run: (input: ToolInput, context: ToolContext) => Promise<ToolResult>;
}

/** What the model sees: text, or text and images. */
export type ToolContent = string | readonly ToolBlock[];

/** A content block in the format of the Messages API. */
export type ToolBlock = TextBlock | { readonly type: "image"; readonly source: Base64Source };

/** How a call ended: `isError: false` with a response, or `isError: true` with a text for the model. */
export type ToolResult = ToolSuccess | ToolError;

export interface ToolSuccess {
  readonly isError: false;
  /** For the model, and `tool_response` of PostToolBatch. Default: what `render` returns for the response. */
  readonly content?: ToolContent;
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

/** What one call gets from the agent. Each call has its own; state that outlives a call is in the objects it refers to. */
export interface ToolContext {
  /** The id of the session. */
  readonly sessionId: string;
  /** The id of the call. */
  readonly toolUseId: string;
  /** Aborted when the user interrupts or the run ends. */
  readonly signal: AbortSignal;
  /** The current folder. Do not keep it: a parallel call may change it. */
  readonly cwd: () => string;
  /**
   * Changes the folder of the session: the host records it and fires CwdChanged before PostToolUse. With `stayAt`, hooks get `folder`,
   * but the session may not leave its folders and continues in `stayAt`.
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
  /** Directories for large results and outputs. */
  readonly paths: ToolPaths;
  /** Paths as they were judged: given path → real path. The tool resolves any other path itself, once. */
  readonly judgedPaths?: ReadonlyMap<string, string>;
  /** Whether the rules let the model see this file: other files are left out of searches. Default: all files are shown. */
  readonly mayRead?: (path: string) => boolean;
  /** What this thread has read. A subagent has its own. */
  readonly readState: ReadState;
  /** The subagent that makes the call. */
  readonly agentId?: string;
  /** The background commands of the session. */
  readonly shells: BackgroundShells;
  /** The time in ms. */
  readonly now: () => number;
  /** A short unique id of lower-case letters and digits. */
  readonly newId: () => string;
  /** Shows the user a message; the model does not get it. */
  readonly tell: (message: string) => void;
  /** A file was read or written: the instructions in the folders above it apply from now on. */
  readonly fileTouched: (path: string) => Promise<void>;
  /** Fires TaskCreated. Resolves with the text for the model when a hook refuses. */
  readonly taskCreated: (task: TaskNotice) => Promise<string | undefined>;
  /** The same for TaskCompleted. */
  readonly taskCompleted: (task: TaskNotice) => Promise<string | undefined>;
  /** Creates and enters worktrees. */
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
export type TaskNotice = Pick<StoredTask, "id" | "subject" | "description">;

/** Worktrees as the host handles them: it fires the events and records the session's folder. */
export interface WorktreePort {
  /** Fires WorktreeCreate. `none`: no hook answered, so git creates the worktree. */
  readonly create: (name: string) => Promise<WorktreeAnswer>;
  /** Fires WorktreeRemove; true when a hook ran, which is then responsible for the folder. */
  readonly remove: (path: string) => Promise<boolean>;
  /** The worktree the session is in, if any. */
  readonly current: () => CurrentWorktree | undefined;
  /** Records the current worktree and writes it to the transcript; undefined after leaving. */
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
  /** Created by a hook, so a hook removes it. */
  readonly hookBased: boolean;
  /** It existed before the session entered it, so the session does not remove it. */
  readonly existing?: boolean;
  /** The branch and commit that git created it from; absent when a hook created it. */
  readonly branch?: string;
  readonly baseCommit?: string;
}

/** What the model sees of a call that the user interrupted. */
export const callInterrupted = "[Request interrupted by user for tool use]";

/** The error result of a tool. */
export function toolError(content: string, interrupted = false): ToolError {
  return { isError: true, content, interrupted };
}

/** The result of a tool that succeeded. */
export function toolSuccess(response: unknown): ToolSuccess {
  return { isError: false, response };
}

/** What a call is about: the main field of its input. */
export function toolSummary(input: Readonly<Record<string, unknown>>): string {
  const about =
    input["command"] ?? input["file_path"] ?? input["pattern"] ?? input["url"] ?? input["description"] ?? "";
  return String(about);
}
