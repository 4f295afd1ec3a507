import type { Ports } from "../../engine/index.ts";
import type { Thread } from "../thread.ts";
import { callTool } from "../tool-call.ts";
import { openReadState } from "../tools/read-state.ts";
import { agentPort } from "./agent-port.ts";
import type { HookModel } from "./asked-model.ts";
import { modelPort } from "./model-port.ts";

/** What a session lends its prompt and agent hooks: its models, its purse, and such of its tools as only read. */
export function hookPorts(main: () => Thread): Required<Pick<Ports, "model" | "agent">> {
  const from: HookModel = {
    model: () => main().model.port,
    openModel: (name) => main().session.openModel(name),
    onSpent: ({ purpose, model, usage, apiMs }) => main().session.spending.add({ purpose, model, usage, apiMs }),
    now: () => main().session.options.clock.now(),
  };
  const readers = () =>
    main()
      .tools()
      .filter(({ readOnly }) => readOnly);
  return {
    model: modelPort(from),
    agent: agentPort({
      ...from,
      tools: () =>
        readers().map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
      // The calls go the way of all calls, from a thread of their own: what the hook reads, the agent has not read.
      callTool: async (call, _hook, signal) => {
        const thread: Thread = {
          ...main(),
          purpose: "agent-hook",
          messages: [],
          readState: openReadState(),
          tools: readers,
        };
        return (await callTool(thread, call, signal)).result;
      },
    }),
  };
}
