import type { Engine } from "../../engine/internal.ts";
import type { Message, Model, ModelUsage, Purpose, ToolDefinition } from "../../models/internal.ts";
import type { AgentEvent, NoticeLevel, TaskIdentity } from "../agent-event.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { BackgroundSubagents } from "../subagents/background-subagents.ts";
import type { SubagentDefinition } from "../subagents/subagent-file.ts";
import type { ReadState } from "../tools/files/file-access.ts";
import type { BackgroundShells } from "../tools/shell/background-shells.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workspace } from "../world/workspace.ts";
import type { Timing } from "./agent-result.ts";
import type { Inbox } from "./inbox.ts";
import type { Journal } from "./journal.ts";
import type { RegistryEntry } from "./registry-entry.ts";
import type { Permissions } from "./session-permissions.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Spending } from "./spending.ts";

/** What the main thread and all agents of a session share, from its start to its end. */
export interface AgentSession {
  readonly options: AgentOptions;
  readonly engine: Engine;
  /** Where it was started; never moved by `cd`. */
  readonly projectRoot: string;
  readonly permissions: Permissions;
  readonly spending: Spending;
  readonly timing: Timing;
  readonly inbox: Inbox;
  readonly subagents: BackgroundSubagents;
  readonly shells: BackgroundShells;
  readonly registry: RegistryEntry;
  readonly workspace: Workspace;
  /** A program may add some before the session begins. */
  definitions: readonly SubagentDefinition[];
  /** What a program puts in the place of the system prompt, or behind it. */
  prompts: { readonly system?: string | undefined; readonly append?: string | undefined };
  /** The host's own tools, without those that start subagents. */
  readonly tools: readonly Tool[];
  /** The tools by which a thread starts subagents and sends them messages. */
  readonly subagentTools: (thread: AgentThread) => readonly Tool[];
  /** Those that are connected. */
  servers: readonly McpServers[];
  readonly openModel: (name: string) => Promise<{ port: Model; name: string }>;
  /** To the observer. */
  readonly report: (event: AgentEvent) => void;
  /** A sentence for the observer. */
  readonly notice: (text: string, level: NoticeLevel) => void;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** The whole environment of tools. */
  readonly toolEnv: Readonly<Record<string, string | undefined>>;
  readonly directories: string[];
  /** Keys of model providers that tools and hooks do not get. */
  readonly removedKeys: readonly string[];
  /** Sentences that are shown only once. */
  readonly notices: Set<string>;
  readonly threads: Threads;
  /** Where its transcript is written; another one after `/clear`. */
  record: SessionRecord;
  /** Of the prompt that is worked on; absent before the first. */
  promptId?: string;
  /** Prompts and tool results so far, as the result object counts turns. */
  turns: number;
}

/** A name for the session: lines in the transcript, and its name in the registry. */
export async function setTitle(session: AgentSession, title: string): Promise<void> {
  await session.record.main.append({ type: "custom-title", customTitle: title });
  await session.record.main.append({ type: "agent-name", agentName: title });
  await session.registry.rename(title);
}

/** Which agent a session was started as, in its transcript: a later process continues it as the same. */
export async function recordStartSubagent({ options, record }: AgentSession): Promise<void> {
  if (options.subagent !== undefined)
    await record.main.append({ type: "agent-setting", agentSetting: options.subagent });
}

/** One conversation with a model: the main thread of a session, or that of one of its agents. */
export interface AgentThread {
  readonly session: AgentSession;
  /** Absent on the main thread. */
  readonly agent?: SubagentIdentity;
  readonly purpose: Purpose;
  /** The conversation as the model gets it. The port joins consecutive messages of one role. */
  readonly messages: Message[];
  /** Another one after `/clear`. */
  journal: Journal;
  readonly readState: ReadState;
  readonly tools: () => readonly Tool[];
  readonly system: () => readonly string[];
  /** Which port answers, and under which name. A switch changes both. */
  model: { port: Model; name: string };
  cwd: string;
  /** Where in `messages` the last answer begins, or what is new since the thread was opened. Kept when it is compacted. */
  tailAt: number;
  /** A hook has made the agent go on since the last prompt. */
  stopActive: boolean;
  /** Tokens of the conversation as the last answer counted them. */
  contextTokens: number;
  lastUsage?: ModelUsage;
  /** Messages for an agent, read before it asks its model again. */
  readonly mail?: string[];
  /** Model calls in a row that a turn may make; none when absent. */
  readonly maxCalls?: number;
}

export interface SubagentIdentity {
  readonly id: string;
  readonly type: string;
  /** The name of its definition; a teammate's `type` is its own name. */
  readonly kind: string;
  /** 1 for an agent of the main thread. */
  readonly depth: number;
  readonly transcriptPath: string;
  /** The call that started it. */
  readonly toolUseId: string;
  /** A teammate has one. */
  readonly name?: string;
  /** What it is for, in a few words of the model that started it. */
  readonly description?: string;
  readonly startedAt?: number;
  readonly background?: boolean;
  /** A working copy of its own; the thread that started it hears where it is. */
  readonly worktree?: SubagentWorktree;
}

export interface SubagentWorktree {
  readonly path: string;
  /** Absent for a folder that a hook made. */
  readonly branch?: string;
}

/** A thread's agent as events name it. */
export function taskOf({ agent }: AgentThread): TaskIdentity | undefined {
  return agent === undefined ? undefined : { id: agent.id, type: agent.type, description: agent.description ?? "" };
}

/** The threads of a session. */
export interface Threads {
  /** Throws before the main thread is open. */
  readonly main: AgentThread;
  /** A thread by the id of its subagent, the main one by `main`. */
  find(id: string): AgentThread | undefined;
  add(thread: AgentThread): void;
}

export function openThreads(): Threads {
  const byId = new Map<string, AgentThread>();
  return {
    get main() {
      const main = byId.get("main");
      if (main === undefined) throw new Error("the main thread is not open yet");
      return main;
    },
    find: (id) => byId.get(id),
    add: (thread) => void byId.set(thread.agent?.id ?? "main", thread),
  };
}

/** The effort that is sent to the model and to hooks; undefined when the model has no effort levels. */
export function effortOf({ session, model }: Pick<AgentThread, "session" | "model">): string | undefined {
  const usual = model.port.defaultEffort?.(model.name);
  return usual === undefined ? undefined : (session.options.effort ?? usual);
}

/** The tools of a thread as its model is offered them. */
export function toolDefinitions(thread: AgentThread): readonly ToolDefinition[] {
  return thread.tools().map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
}
