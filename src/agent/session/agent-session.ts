import type { Engine } from "../../engine/index.ts";
import type { Model } from "../../models/index.ts";
import type { AgentEvent, NoticeLevel } from "../agent-event.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { Servers } from "../mcp/mcp-servers.ts";
import type { BackgroundAgents } from "../subagents/background-subagents.ts";
import type { AgentDefinition } from "../subagents/subagent-definitions.ts";
import type { BackgroundShells } from "../tools/shell/background-shells.ts";
import type { Tool } from "../tools/tool.ts";
import type { Surroundings } from "../world/workspace.ts";
import type { Timing } from "./agent-result.ts";
import type { Inbox } from "./inbox.ts";
import type { LiveEntry } from "./registry-entry.ts";
import type { Permissions } from "./session-permissions.ts";
import type { SessionRecord } from "./session-record.ts";
import type { Spending } from "./spending.ts";
import type { Thread, Threads } from "./thread.ts";

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
  readonly agents: BackgroundAgents;
  readonly shells: BackgroundShells;
  readonly live: LiveEntry;
  readonly surroundings: Surroundings;
  /** A program may add some before the session begins. */
  definitions: readonly AgentDefinition[];
  /** What a program puts in the place of the system prompt, or behind it. */
  prompts: { readonly system?: string | undefined; readonly append?: string | undefined };
  /** The host's own tools, without those that start subagents. */
  readonly tools: readonly Tool[];
  /** The tools by which a thread starts subagents and sends them messages. */
  readonly subagentTools: (thread: Thread) => readonly Tool[];
  /** Those that are connected. */
  servers: readonly Servers[];
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
  await session.live.rename(title);
}

/** Which agent a session was started as, in its transcript: a later process continues it as the same. */
export async function recordStartSubagent({ options, record }: AgentSession): Promise<void> {
  if (options.agent !== undefined) await record.main.append({ type: "agent-setting", agentSetting: options.agent });
}
