import { limitAnswer } from "./answer-limits.ts";
import { toModelError } from "./failure.ts";
import type { AnswerReader, ModelEvent } from "./model.ts";

/** The response of an official client. */
interface ApiResponse<Piece> {
  readonly data: AsyncIterable<Piece>;
  readonly request_id: string | null | undefined;
}

/** Streams one answer. Contract: never throws; every failure is an `error` event. */
export async function* streamAnswer<Piece>(
  open: () => Promise<ApiResponse<Piece>>,
  reader: AnswerReader<Piece>,
  signal: AbortSignal,
  maxChars: number | undefined,
): AsyncGenerator<ModelEvent> {
  let began = false;
  try {
    const { data, request_id: requestId } = await open();
    began = true;
    if (!(yield* limitAnswer(data, reader, maxChars))) return;
    if (signal.aborted) yield toModelError(undefined, signal);
    else yield* reader.end(requestId ?? undefined);
  } catch (thrown) {
    yield toModelError(thrown, signal, began);
  }
}
