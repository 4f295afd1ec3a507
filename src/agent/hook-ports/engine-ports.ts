import { type ModelQuestion, type Notice, type Ports, type WakeRequest, wrapContext } from "../../engine/internal.ts";
import { type AgentThread, toolDefinitions } from "../session/agent-session.ts";
import { type InboxItem, taskNotification } from "../session/inbox.ts";
import { oneQuestionAtATime } from "../turn/ask-user.ts";
import { callTool } from "../turn/call-tool.ts";
import { noteInTranscript } from "../turn/channels.ts";
import { agentPort, type HookModel, modelPort } from "./model-ports.ts";

/** What the agent provides to the engine. */
export function enginePorts(main: () => AgentThread, interactive: boolean): Ports {
  return {
    ...sessionHookPorts(main),
    judge: (...call) => main().session.permissions.judgeAllowed(...call),
    mcp: async (call, signal) => main().session.servers?.port(call, signal) ?? { connected: false },
    ...(interactive ? { wake: (request) => main().session.inbox.put(wakeNotification(request)) } : {}),
    observe: (notice) => {
      if (notice.kind === "snapshot-changed") void main().session.workspace.settingsChanged(main());
      const text = stopHookText(notice);
      if (text !== undefined) noteInTranscript(main(), text);
    },
    asker: async (question, signal) => {
      const { user } = main().session.options;
      if (user?.question === undefined) return undefined;
      return oneQuestionAtATime(main(), signal, async () => user.question?.(question, signal));
    },
  };
}

/**
 * The notification that a background hook wakes the agent with. It joins the current turn, or starts one when the agent is idle. Claude
 * Code calls it a Stop hook whatever the event is, and names the event as the command; models get the same text here. The transcript
 * `i-permission-hooks-interactive` of the test fixtures has one for PostToolUse.
 */
function wakeNotification({ occasion, text }: WakeRequest): InboxItem {
  const feedback = wrapContext(`Stop hook blocking error from command "${occasion}": ${text}`, "system-reminder");
  return taskNotification({ summary: "Stop hook feedback" }, `\n${feedback}`);
}

/** The transcript message about a Stop hook that was added at run time. */
function stopHookText(notice: Notice): string | undefined {
  if (notice.kind === "stop-hook-added") return `Stop hook added: ${notice.hook.name}`;
  if (notice.kind === "stop-hook-removed") return `Stop hook removed: ${notice.hook.name}`;
  if (notice.kind !== "stop-hook-ran") return undefined;
  const effect = notice.record.verdict.kind === "deny" ? "continues the turn" : "no objection";
  return `Stop hook ran: ${notice.hook.name} (${effect})`;
}

/** Gives prompt and agent hooks the models, the cost account and some tools of the session. */
function sessionHookPorts(main: () => AgentThread): Required<Pick<Ports, "model" | "agent">> {
  const from: HookModel = {
    model: () => main().model.port,
    openModel: (name) => main().session.openModel(name),
    onSpent: ({ purpose, model, usage, apiMs }) => main().session.spending.add({ purpose, model, usage, apiMs }),
    now: () => main().session.options.clock.now(),
  };
  const threads = new WeakMap<ModelQuestion, AgentThread>();

  /** The thread of one hook run. Its own state keeps the hook's reads and `cd` apart from those of the agent. */
  function threadOf(run: ModelQuestion): AgentThread {
    const thread: AgentThread = threads.get(run) ?? {
      ...main(),
      purpose: "agent-hook",
      messages: [],
      readState: new Map(),
      tools: () => {
        // Read-only tools, and those that the hook's definition names. Tools that change the session are never offered.
        const isRequested = (name: string) => run.tools?.includes(name) === true && !sessionTools.has(name);
        return main()
          .tools()
          .filter(({ name, readOnly }) => readOnly || isRequested(name));
      },
    };
    threads.set(run, thread);
    return thread;
  }

  return {
    model: modelPort(from),
    agent: agentPort({
      ...from,
      tools: (_hook, run) => toolDefinitions(threadOf(run)),
      // Hooks, rules and the user decide about these calls like about any other.
      callTool: async (call, _hook, signal, run) => (await callTool(threadOf(run), call, signal)).result,
    }),
  };
}

const sessionTools: ReadonlySet<string> = new Set(["Agent", "SendMessage", "EnterWorktree", "ExitWorktree"]);
