import type { HookRef, ModelSpent } from "../../protocol/index.ts";
import type { AgentPort, ModelPort } from "../ports.ts";
import { nothingSaid, unanswered } from "./ended.ts";
import { keep } from "./keep.ts";
import { readReply, replyText } from "./model-reply.ts";
import { promptText } from "./prompt-text.ts";
import { type Limit, waitFor } from "./run-limits.ts";
import type { Ran } from "./runner-result.ts";

export interface ModelRunCall<Port extends ModelPort | AgentPort = ModelPort> extends Limit {
  readonly ref: HookRef;
  readonly payloadJson: string;
  /** Given only on events at the end of a turn. */
  readonly conversation?: readonly unknown[];
  readonly port: Port;
}

/** What a prompt and an agent hook differ in, beside their port. */
export interface ModelRunShape {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
  readonly continueOnBlock: boolean;
}

/** Contract: resolves even if the port never answers; a reply of any other shape than the asked one is a failure. */
export async function runModel(
  hook: { readonly prompt: string; readonly model?: string; readonly tools?: readonly string[] },
  call: ModelRunCall<ModelPort | AgentPort>,
  shape: ModelRunShape,
): Promise<Ran> {
  const ask = {
    prompt: promptText(hook.prompt, call.payloadJson),
    ...(hook.model === undefined ? {} : { model: hook.model }),
    schema: shape.schema,
    ...(call.conversation === undefined ? {} : { conversation: call.conversation }),
    ...(hook.tools === undefined ? {} : { tools: hook.tools }),
    hook: call.ref,
  };
  const spent: ModelSpent[] = [];
  const waited = await waitFor(async (signal) => call.port(ask, signal, (one) => spent.push(one)), call);
  const cost = spent.length > 0 ? { spent: [...spent] } : {};
  if (waited.by !== "answered") return { ...unanswered(waited, call), ...cost };
  const kept = keep(replyText(waited.value));
  const answered: Ran = {
    ...nothingSaid,
    ended: { by: "answered" },
    stdout: kept.text,
    ...cost,
    ...(kept.dropped > 0 ? { droppedBytes: { stdout: kept.dropped, stderr: 0 } } : {}),
  };
  const reply = kept.dropped > 0 ? { wrong: "replied with more than 1 MiB" } : readReply(waited.value, shape.keys);
  if ("wrong" in reply) return { ...answered, failure: `the model ${reply.wrong}` };
  return { ...answered, said: { kind: "judged", ...reply, continueOnBlock: shape.continueOnBlock } };
}
