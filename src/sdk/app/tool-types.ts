/** Inputs by tool. Further tools are typed by augmenting this: `declare module "hookline/sdk" { interface ToolInputs { … } }`. */
export interface ToolInputs extends BuiltInToolInputs {}
/** Responses by tool, likewise. */
export interface ToolResponses extends BuiltInToolResponses {}

/** The inputs of the tools this package knows, with the tools' own keys. They are data: they go back to the host as they came. */
interface BuiltInToolInputs {
  Bash: {
    readonly command: string;
    readonly description?: string;
    readonly timeout?: number;
    readonly run_in_background?: boolean;
  };
  Write: { readonly file_path: string; readonly content: string };
  Read: { readonly file_path: string; readonly offset?: number; readonly limit?: number };
  Edit: { readonly file_path: string } & TextReplacement;
  MultiEdit: { readonly file_path: string; readonly edits: readonly TextReplacement[] };
  NotebookEdit: {
    readonly notebook_path: string;
    readonly new_source: string;
    readonly cell_id?: string;
    readonly cell_type?: "code" | "markdown";
    readonly edit_mode?: "replace" | "insert" | "delete";
  };
  Grep: {
    readonly pattern: string;
    readonly path?: string;
    readonly glob?: string;
    readonly type?: string;
    readonly output_mode?: "content" | "files_with_matches" | "count";
  };
  Glob: { readonly pattern: string; readonly path?: string };
  Agent: AgentInput;
  Task: AgentInput;
  WebSearch: {
    readonly query: string;
    readonly allowed_domains?: readonly string[];
    readonly blocked_domains?: readonly string[];
  };
  WebFetch: { readonly url: string; readonly prompt: string };
  Skill: { readonly skill: string; readonly args?: string };
  TaskCreate: { readonly subject: string; readonly description?: string; readonly activeForm?: string };
  TaskUpdate: { readonly taskId: string; readonly status?: string; readonly subject?: string };
  TaskGet: { readonly taskId: string };
  TaskList: Readonly<Record<string, never>>;
  CronCreate: { readonly cron: string; readonly prompt: string; readonly recurring?: boolean };
  EnterWorktree: { readonly name?: string };
  ExitWorktree: { readonly action: string; readonly discard_changes?: boolean };
  AskUserQuestion: {
    readonly questions: readonly {
      readonly question: string;
      readonly header?: string;
      readonly options: readonly { readonly label: string; readonly description?: string }[];
      readonly multiSelect?: boolean;
    }[];
    /** Once the user has answered. */
    readonly answers?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, unknown>>;
  };
  ExitPlanMode: { readonly plan?: string };
}

interface TextReplacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

interface AgentInput {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
  readonly isolation?: string;
  readonly run_in_background?: boolean;
}

/** What tools answered in recorded payloads. A tool that is not here has a response of unknown shape. */
interface BuiltInToolResponses {
  Bash: {
    readonly stdout: string;
    readonly stderr: string;
    readonly interrupted: boolean;
    readonly isImage?: boolean;
    readonly noOutputExpected?: boolean;
    readonly backgroundTaskId?: string;
  };
  Read: {
    readonly type: string;
    readonly file: {
      readonly filePath: string;
      readonly content?: string;
      readonly numLines?: number;
      readonly startLine?: number;
      readonly totalLines?: number;
    };
  };
  Write: ChangedFile & { readonly type: string; readonly content: string };
  Edit: ChangedFile & { readonly oldString: string; readonly newString: string; readonly replaceAll?: boolean };
  NotebookEdit: {
    readonly new_source: string;
    readonly old_source: string;
    readonly cell_type: string;
    readonly edit_mode: string;
    readonly notebook_path: string;
    readonly cell_id?: string;
    readonly language?: string;
    readonly error?: string;
    readonly original_file?: string;
    readonly updated_file?: string;
  };
  Agent: AgentResponse;
  Task: AgentResponse;
  Skill: { readonly success: boolean; readonly commandName: string };
  TaskCreate: { readonly task: { readonly id: string; readonly subject: string } };
  TaskUpdate: {
    readonly success: boolean;
    readonly taskId: string;
    readonly updatedFields: readonly string[];
    readonly statusChange?: { readonly from: string; readonly to: string };
  };
  TaskGet: { readonly task: ListedTask & { readonly description: string; readonly blocks: readonly string[] } };
  TaskList: { readonly tasks: readonly ListedTask[] };
  CronCreate: {
    readonly id: string;
    readonly humanSchedule: string;
    readonly recurring: boolean;
    readonly durable: boolean;
  };
  EnterWorktree: { readonly worktreePath: string; readonly message: string };
  ExitWorktree: {
    readonly action: string;
    readonly originalCwd: string;
    readonly worktreePath: string;
    readonly discardedFiles: number;
    readonly discardedCommits: number;
    readonly message: string;
  };
  AskUserQuestion: {
    readonly questions: readonly unknown[];
    readonly answers: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, unknown>>;
  };
}

interface ChangedFile {
  readonly filePath: string;
  readonly originalFile: string | null;
  readonly structuredPatch: readonly unknown[];
  readonly userModified?: boolean;
}

interface ListedTask {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly blockedBy: readonly string[];
}

interface AgentResponse {
  readonly status: string;
  readonly agentId?: string;
  readonly agentType?: string;
  readonly prompt?: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly resolvedModel?: string;
  readonly totalDurationMs?: number;
  readonly totalTokens?: number;
  readonly totalToolUseCount?: number;
  readonly usage?: Readonly<Record<string, unknown>>;
}
