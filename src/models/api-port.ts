import { checkNamed, mustBe, type OptionCheck } from "../protocol/internal.ts";
import { boundedFetch, limitAnswer } from "./answer-limits.ts";
import { toModelError } from "./failure.ts";
import type { AnswerReader, ModelEvent } from "./model.ts";

/** Refuses what a port would ignore: an address or a key in an option that does not exist would send requests elsewhere. */
export function checkPortOptions<Name extends string>(
  of: string,
  given: object,
  table: Readonly<Record<Name, OptionCheck>>,
  needed: readonly Name[] = [],
): void {
  checkNamed(of, given, table, "models/bad-option", needed, "Key and address come from env.");
}

/** The options that all ports have. */
export const portChecks = {
  model: mustBe.text,
  smallModel: mustBe.text,
  contextWindow: mustBe.positiveNumber,
  maxAnswerChars: mustBe.positiveNumber,
  env: mustBe.object,
} as const;

/** What the official clients have in common here: retries are ours (`retry.ts`), and so are the limits of an answer. */
export const clientOptions = { maxRetries: 0, logLevel: "off", fetch: boundedFetch } as const;

/** Streams one answer; `open` sends the request with an official client. Contract: never throws; every failure is an `error` event. */
export async function* streamAnswer<Piece>(
  open: () => Promise<{ readonly data: AsyncIterable<Piece>; readonly request_id: string | null | undefined }>,
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
