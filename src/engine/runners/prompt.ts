import type { PromptHook } from "../../protocol/index.ts";
import { type ModelRunCall, runModel } from "./model-hook.ts";
import { promptReplySchema } from "./model-reply.ts";
import type { Ran } from "./runner-result.ts";

export function runPrompt(hook: PromptHook, call: ModelRunCall): Promise<Ran> {
  return runModel(hook, call, {
    schema: promptReplySchema,
    keys: ["ok", "reason", "impossible"],
    continueOnBlock: hook.continueOnBlock ?? false,
  });
}
