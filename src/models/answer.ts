import type { Model, ModelEnd, ModelError, ModelRequest } from "./model.ts";

/** The whole answer at once, for whoever shows no deltas. */
export async function answerOf(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelEnd | ModelError> {
  for await (const event of model.stream(request, signal)) {
    if (event.type === "end" || event.type === "error") return event;
  }
  return { type: "error", errorType: "stream", message: "The answer ended before it was complete." };
}
