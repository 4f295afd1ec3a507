import type { AgentHook } from "../../protocol/index.ts";
import type { AgentPort } from "../ports.ts";
import { type ModelRunCall, runModel } from "./model-hook.ts";
import { agentReplySchema } from "./model-reply.ts";
import type { Ran } from "./runner-result.ts";

/** An agent hook answers like a prompt hook that says `continueOnBlock`. */
export function runAgent(hook: AgentHook, call: ModelRunCall<AgentPort>): Promise<Ran> {
  return runModel(hook, call, { schema: agentReplySchema, keys: ["ok", "reason"], continueOnBlock: true });
}
