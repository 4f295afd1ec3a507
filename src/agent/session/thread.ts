import type { Message, Model, ModelUsage, Purpose, ToolDefinition } from "../../models/index.ts";
import type { TaskIdentity } from "../agent-event.ts";
import type { ReadState } from "../tools/files/file-access.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentSession } from "./agent-session.ts";
import type { Journal } from "./journal.ts";

/** One conversation with a model: the main thread of a session, or that of one of its agents. */
export interface Thread {
  readonly session: AgentSession;
  /** Absent on the main thread. */
  readonly agent?: AgentIdentity;
  readonly purpose: Purpose;
  /** What the model is told, in order. Neighbours of one role are joined by the port. */
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

export interface AgentIdentity {
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
  readonly worktree?: AgentWorktree;
}

export interface AgentWorktree {
  readonly path: string;
  /** Absent for a folder that a hook made. */
  readonly branch?: string;
}

/** A thread's agent as events name it. */
export function taskOf({ agent }: Thread): TaskIdentity | undefined {
  return agent === undefined ? undefined : { id: agent.id, type: agent.type, description: agent.description ?? "" };
}

/** The threads of a session. */
export interface Threads {
  /** Throws before the main thread is open. */
  readonly main: Thread;
  /** A thread by the id of its subagent, the main one by `main`. */
  find(id: string): Thread | undefined;
  add(thread: Thread): void;
}

export function openThreads(): Threads {
  const byId = new Map<string, Thread>();
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

/** The effort that a thread's model is asked for, and that hooks are told; undefined when the model has no effort levels. */
export function effortOf({ session, model }: Pick<Thread, "session" | "model">): string | undefined {
  const usual = model.port.defaultEffort?.(model.name);
  return usual === undefined ? undefined : (session.options.effort ?? usual);
}

/** The tools of a thread as its model is offered them. */
export function toolDefinitions(thread: Thread): readonly ToolDefinition[] {
  return thread.tools().map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
}
