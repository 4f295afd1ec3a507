import type { Message, Model, ModelUsage, Purpose, ToolDefinition } from "../../models/internal.ts";
import { defined, type Outcome } from "../../protocol/internal.ts";
import type { AgentEvent, NoticeLevel } from "../agent-event.ts";
import type { SubagentDefinition } from "../subagents/subagent-file.ts";
import type { ReadState } from "../tools/files/file-access.ts";
import type { BackgroundShells } from "../tools/shell/background-shells.ts";
import type { CurrentWorktree, Tool } from "../tools/tool.ts";
import type { Attachment } from "../turn/attachments.ts";
import type { Inbox } from "./inbox.ts";
import type { Journal } from "./journal.ts";
import type { RegistryEntry } from "./registry-entry.ts";
import type { Permissions, SessionBase } from "./session-permissions.ts";
import type { Spending } from "./spending.ts";

/** The state that the main thread and all subagents of a session share. */
export interface AgentSession extends SessionBase {
  readonly permissions: Permissions;
  readonly spending: Spending;
  readonly inbox: Inbox;
  readonly subagents: ReturnType<typeof openBackgroundSubagents>;
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
  readonly openModel: (name: string) => Promise<{ port: Model; name: string }>;
  /** Sends an event to the observer. */
  readonly report: (event: AgentEvent) => void;
  /** Sends a message for the user to the observer. */
  readonly notice: (text: string, level: NoticeLevel) => void;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** Keys of model providers that tools and hooks do not get. */
  readonly removedKeys: readonly string[];
  /** Messages that were shown and are not shown again. */
  readonly notices: Set<string>;
  /** All threads by the id of their subagent; the main thread is `main`. */
  readonly threads: Map<string, AgentThread>;
  /** The id of the current prompt; absent before the first. */
  promptId?: string;
  /** Settles when the last question to the user is answered. */
  lastQuestion?: Promise<unknown>;
  /** Prompts and tool results so far, as the result object counts turns. */
  turns: number;
}

/** The surroundings of the conversation: the folder, its instructions, and watched files and settings. */
export interface Workspace {
  /** Reads instructions and starts to watch files and settings. */
  begin(thread: AgentThread, started: Outcome): Promise<void>;
  /** Moves a thread to another folder. With `stayAt`, hooks get `folder` and the thread moves to `stayAt`. */
  move(thread: AgentThread, folder: string, stayAt?: string): Promise<void>;
  /** Watches the files that the changed hooks wait for. */
  settingsChanged(main: AgentThread): Promise<void>;
  /** Env files that hooks wrote, in order of writing. */
  envFiles(): Promise<readonly string[]>;
  /** Loads the instructions of the folders above a file that was read or written. */
  touched(thread: AgentThread, path: string, notes: Attachment[]): Promise<void>;
  /** Loads the instructions again: the model no longer has them. */
  afterCompaction(thread: AgentThread, started: Outcome): Promise<void>;
  /** The instructions as parts of the system prompt. */
  instructions(): readonly string[];
  end(): Promise<void>;
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

/** A subagent that runs in the background, or ran. */
export interface BackgroundSubagent {
  readonly agent: SubagentIdentity;
  readonly status: "running" | "idle" | "completed" | "failed" | "killed";
  /** Sends a message, which it reads before its next model call. */
  send(text: string): void;
  /** Ends it with the status `killed`. */
  kill(): void;
  /** Resolves when it has ended. */
  readonly done: Promise<void>;
}

/** The subagents of a session that run in the background, or ran. */
export function openBackgroundSubagents() {
  const agents = new Map<string, BackgroundSubagent>();
  return {
    list: (): readonly BackgroundSubagent[] => [...agents.values()],
    find: (idOrName: string): BackgroundSubagent | undefined =>
      agents.get(idOrName) ?? [...agents.values()].findLast(({ agent }) => agent.name === idOrName),
    add: (subagent: BackgroundSubagent): void => void agents.set(subagent.agent.id, subagent),
    /** Ends all that run and waits for them. */
    async killAll(): Promise<void> {
      const running = [...agents.values()].filter(({ status }) => status === "running" || status === "idle");
      for (const agent of running) agent.kill();
      await Promise.all(running.map(({ done }) => done));
    },
  };
}

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
