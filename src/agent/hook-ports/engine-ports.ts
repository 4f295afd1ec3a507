import { type ModelQuestion, type Notice, type Ports, wrapContext } from "../../engine/internal.ts";
import { type AgentThread, type Threads, toolDefinitions } from "../session/agent-session.ts";
import type { InboxItem } from "../session/inbox.ts";
import { openReadState } from "../tools/files/file-access.ts";
import type { Tool } from "../tools/tool.ts";
import { oneQuestionAtATime } from "../turn/ask-user.ts";
import { callTool } from "../turn/call-tool.ts";
import { noteInTranscript } from "../turn/channels.ts";
import type { HookModel } from "./hook-model.ts";
import { agentPort, modelPort } from "./model-ports.ts";

/** What the agent provides to the engine. */
export function enginePorts(threads: Threads, interactive: boolean): Ports {
  const main = () => threads.main;
  return {
    ...sessionHookPorts(main),
    judge: (...call) => main().session.permissions.judgeAllowed(...call),
    mcp: async (call, signal) => {
      for (const { port } of main().session.servers) {
        const result = await port(call, signal);
        if (result.connected) return result;
      }
      return { connected: false };
    },
    ...(interactive ? { wake: ({ hook, text }) => main().session.inbox.put(wakeNotification(hook.event, text)) } : {}),
    observe: (notice) => {
      if (notice.kind === "snapshot-changed") void main().session.workspace.settingsChanged(main());
      const words = stopHookWords(notice);
      if (words !== undefined) noteInTranscript(main(), words);
    },
    asker: async (question, signal) => {
      const { user } = main().session.options;
      if (user?.question === undefined) return undefined;
      return oneQuestionAtATime(main(), signal, async () => user.question?.(question, signal));
    },
  };
}

/** A background hook wants the agent's attention: a prompt of its own when nothing runs, else part of the turn. */
function wakeNotification(event: string, text: string): InboxItem {
  const content = `<task-notification>
<summary>Stop hook feedback</summary>
</task-notification>
${wrapContext(`Stop hook blocking error from command "${event}": ${text}`, "system-reminder")}`;
  return { kind: "news", content, source: "system" };
}

/** Stop hooks that were added at run time leave a trace in the transcript. */
function stopHookWords(notice: Notice): string | undefined {
  switch (notice.kind) {
    case "stop-hook-added":
      return `Stop hook added: ${notice.hook.name}`;
    case "stop-hook-removed":
      return `Stop hook removed: ${notice.hook.name}`;
    case "stop-hook-ran":
      return `Stop hook ran: ${notice.hook.name} (${notice.record.verdict.kind === "deny" ? "goes on" : "no objection"})`;
    default:
      return undefined;
  }
}

/** What a session lends its prompt and agent hooks: its models, its purse, and such of its tools as only read or were asked for. */
export function sessionHookPorts(main: () => AgentThread): Required<Pick<Ports, "model" | "agent">> {
  const from: HookModel = {
    model: () => main().model.port,
    openModel: (name) => main().session.openModel(name),
    onSpent: ({ purpose, model, usage, apiMs }) => main().session.spending.add({ purpose, model, usage, apiMs }),
    now: () => main().session.options.clock.now(),
  };
  const threads = new WeakMap<ModelQuestion, AgentThread>();

  /** One for all calls of a run: what the hook reads, the agent has not read, and where it goes the agent does not follow. */
  function threadOf(run: ModelQuestion): AgentThread {
    const known = threads.get(run);
    if (known !== undefined) return known;
    const thread: AgentThread = {
      ...main(),
      purpose: "agent-hook",
      messages: [],
      readState: openReadState(),
      tools: () => toolsForHook(main().tools(), run.tools),
    };
    threads.set(run, thread);
    return thread;
  }

  return {
    model: modelPort(from),
    agent: agentPort({
      ...from,
      tools: (_hook, run) => toolDefinitions(threadOf(run)),
      // Hooks, rules and the user decide about these calls as about any other.
      callTool: async (call, _hook, signal, run) => (await callTool(threadOf(run), call, signal)).result,
    }),
  };
}

/** What moves the session or starts others in it stays the agent's own, whatever a definition says. */
function toolsForHook(tools: readonly Tool[], wanted: readonly string[] = []): readonly Tool[] {
  return tools.filter(({ name, readOnly }) => readOnly || (wanted.includes(name) && !ofTheSession.has(name)));
}

const ofTheSession: ReadonlySet<string> = new Set(["Agent", "SendMessage", "EnterWorktree", "ExitWorktree"]);
