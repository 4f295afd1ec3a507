import type { ModelCall, Ports } from "../../engine/index.ts";
import type { Thread } from "../thread.ts";
import { callTool } from "../tool-call.ts";
import { openReadState } from "../tools/read-state.ts";
import type { Tool } from "../tools/tool.ts";
import { agentPort } from "./agent-port.ts";
import type { HookModel } from "./asked-model.ts";
import { modelPort } from "./model-port.ts";

/** What a session lends its prompt and agent hooks: its models, its purse, and such of its tools as only read or were asked for. */
export function hookPorts(main: () => Thread): Required<Pick<Ports, "model" | "agent">> {
  const from: HookModel = {
    model: () => main().model.port,
    openModel: (name) => main().session.openModel(name),
    onSpent: ({ purpose, model, usage, apiMs }) => main().session.spending.add({ purpose, model, usage, apiMs }),
    now: () => main().session.options.clock.now(),
  };
  const threads = new WeakMap<ModelCall, Thread>();

  /** One for all calls of a run: what the hook reads, the agent has not read, and where it goes the agent does not follow. */
  function threadOf(run: ModelCall): Thread {
    const known = threads.get(run);
    if (known !== undefined) return known;
    const thread: Thread = {
      ...main(),
      purpose: "agent-hook",
      messages: [],
      readState: openReadState(),
      tools: () => lent(main().tools(), run.tools),
    };
    threads.set(run, thread);
    return thread;
  }

  return {
    model: modelPort(from),
    agent: agentPort({
      ...from,
      tools: (_hook, run) =>
        threadOf(run)
          .tools()
          .map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
      // The calls go the way of all calls: hooks and rules see them, and whoever is to be asked is asked.
      callTool: async (call, _hook, signal, run) => (await callTool(threadOf(run), call, signal)).result,
    }),
  };
}

/** What moves the session or starts others in it stays the agent's own, whatever a definition says. */
function lent(tools: readonly Tool[], wanted: readonly string[] = []): readonly Tool[] {
  return tools.filter(({ name, readOnly }) => readOnly || (wanted.includes(name) && !ofTheSession.has(name)));
}

const ofTheSession: ReadonlySet<string> = new Set(["Agent", "SendMessage", "EnterWorktree", "ExitWorktree"]);
