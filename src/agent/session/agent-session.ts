import type { Engine } from "../../engine/internal.ts";
import type { Message, Model, ModelUsage, Purpose, ToolDefinition } from "../../models/internal.ts";
import { defined } from "../../protocol/internal.ts";
import type { AgentEvent, NoticeLevel } from "../agent-event.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { BackgroundSubagents } from "../subagents/background-subagents.ts";
import type { SubagentDefinition } from "../subagents/subagent-file.ts";
import type { ReadState } from "../tools/files/file-access.ts";
import type { BackgroundShells } from "../tools/shell/background-shells.ts";
import type { CurrentWorktree, Tool } from "../tools/tool.ts";
import type { Workspace } from "../world/workspace.ts";
import type { Inbox } from "./inbox.ts";
import type { Journal } from "./journal.ts";
import type { RegistryEntry } from "./registry-entry.ts";
import type { Permissions } from "./session-permissions.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Spending } from "./spending.ts";

/** The state that the main thread and all subagents of a session share. */
export interface AgentSession {
  readonly options: AgentOptions;
  readonly engine: Engine;
  readonly permissions: Permissions;
  readonly spending: Spending;
  readonly inbox: Inbox;
  readonly subagents: BackgroundSubagents;
  readonly shells: BackgroundShells;
  readonly registry: RegistryEntry;
  readonly workspace: Workspace;
  /** The embedding program may add some before the session begins. */
  definitions: readonly SubagentDefinition[];
  /** Replaces or follows the system prompt. */
  prompts: { readonly system?: string | undefined; readonly append?: string | undefined };
  /** The built-in tools, without those that start subagents. */
  readonly tools: readonly Tool[];
  /** The tools by which a thread starts subagents and sends them messages. */
  readonly subagentTools: (thread: AgentThread) => readonly Tool[];
  /** Absent until the session begins. */
  servers?: McpServers;
  readonly openModel: (name: string) => Promise<{ port: Model; name: string }>;
  /** Sends an event to the observer. */
  readonly report: (event: AgentEvent) => void;
  /** Sends a message for the user to the observer. */
  readonly notice: (text: string, level: NoticeLevel) => void;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** The whole environment of tools. */
  readonly toolEnv: Readonly<Record<string, string | undefined>>;
  readonly directories: string[];
  /** Keys of model providers that tools and hooks do not get. */
  readonly removedKeys: readonly string[];
  /** Messages that were shown and are not shown again. */
  readonly notices: Set<string>;
  /** All threads by the id of their subagent; the main thread is `main`. */
  readonly threads: Map<string, AgentThread>;
  /** Where its transcript is written. `/clear` replaces it. */
  record: SessionRecord;
  /** The id of the current prompt; absent before the first. */
  promptId?: string;
  /** Settles when the last question to the user is answered. */
  lastQuestion?: Promise<unknown>;
  /** Prompts and tool results so far, as the result object counts turns. */
  turns: number;
}

/** Names the session in its transcript and in the registry. */
export async function setTitle(session: AgentSession, title: string): Promise<void> {
  await session.record.main.append({ type: "custom-title", customTitle: title });
  await session.record.main.append({ type: "agent-name", agentName: title });
  await session.registry.rename(title);
}

/** Records the subagent that the session was started as: a later process continues it as the same one. */
export async function recordStartSubagent({ options, record }: AgentSession): Promise<void> {
  if (options.subagent !== undefined)
    await record.main.append({ type: "agent-setting", agentSetting: options.subagent });
}

/** One conversation with a model: the main thread of a session, or the thread of a subagent. */
export interface AgentThread {
  readonly session: AgentSession;
  /** Absent on the main thread. */
  readonly agent?: SubagentIdentity;
  readonly purpose: Purpose;
  /** The conversation as the model gets it. Consecutive messages of one role are joined when they are sent. */
  readonly messages: Message[];
  /** `/clear` replaces it. */
  journal: Journal;
  readonly readState: ReadState;
  readonly tools: () => readonly Tool[];
  readonly system: () => readonly string[];
  /** The port that answers, and the model name that it is asked for. */
  model: { port: Model; name: string };
  cwd: string;
  /** The worktree that it is in. */
  worktree?: CurrentWorktree;
  /** The index in `messages` of the last answer, or of the first new message. Compaction keeps what follows it. */
  tailAt: number;
  /** A hook has prevented the end of the turn since the last prompt. */
  stopActive: boolean;
  /** Tokens of the conversation as the last answer counted them. */
  contextTokens: number;
  /** After a failed compaction: the size at which it is tried again. */
  compactAgainAt?: number;
  lastUsage?: ModelUsage;
  /** The limit of model calls in one turn. Default: no limit. */
  readonly maxCalls?: number;
}

/** The thread of a subagent. */
export type SubagentThread = AgentThread & { readonly agent: SubagentIdentity };

export function isSubagent(thread: AgentThread): thread is SubagentThread {
  return thread.agent !== undefined;
}

export interface SubagentIdentity {
  readonly id: string;
  readonly type: string;
  /** The name of its definition; a teammate's `type` is its own name. */
  readonly kind: string;
  /** 1 for a subagent of the main thread. */
  readonly depth: number;
  readonly transcriptPath: string;
  /** The call that started it. */
  readonly toolUseId: string;
  /** Only teammates have a name. */
  readonly name?: string;
  /** Its task, as the model that started it describes it. */
  readonly description: string;
  readonly startedAt: number;
  readonly background: boolean;
  /** Messages for it, delivered before its next model call. */
  readonly mail: string[];
  /** Its own working copy, if any. */
  readonly worktree?: SubagentWorktree;
}

/** The branch is absent for a folder that a hook created. */
export type SubagentWorktree = Pick<CurrentWorktree, "path" | "branch">;

/** The fields of every payload. */
export function commonPayload({ session, cwd }: AgentThread) {
  const { record, promptId } = session;
  return { session_id: record.id, transcript_path: record.file, cwd, ...defined({ prompt_id: promptId }) };
}

/** The effort that is sent to the model and to hooks; undefined when the model has no effort levels. */
export function effortOf({ session, model }: Pick<AgentThread, "session" | "model">): string | undefined {
  const defaultEffort = model.port.defaultEffort?.(model.name);
  return defaultEffort === undefined ? undefined : (session.options.effort ?? defaultEffort);
}

/** The tools of a thread, as they are offered to its model. */
export function toolDefinitions(thread: AgentThread): readonly ToolDefinition[] {
  return thread.tools().map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
}
