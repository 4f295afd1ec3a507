import { answerOf, type ModelEnd, type ModelError, type ModelRequest } from "../models/index.ts";
import type { Thread } from "./thread.ts";

/** A question beside the conversation: no tool is called and nothing shown, but it is paid for like any other. */
export async function askOnce(
  thread: Thread,
  request: Pick<ModelRequest, "purpose" | "model" | "system" | "messages"> & Partial<ModelRequest>,
  signal: AbortSignal,
): Promise<ModelEnd | ModelError> {
  const { clock } = thread.session.options;
  const startedAt = clock.now();
  const answer = await answerOf(thread.model.port, { tools: [], maxTokens: 8_000, ...request }, signal);
  if (answer.type === "end") {
    const { model, usage } = answer;
    thread.session.spending.add({ purpose: request.purpose, model, usage, apiMs: clock.now() - startedAt });
  }
  return answer;
}
