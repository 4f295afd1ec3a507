import { closestName, isObject, Problem } from "../protocol/internal.ts";
import { limitAnswer } from "./answer-limits.ts";
import { toModelError } from "./failure.ts";
import type { AnswerReader, ModelEvent } from "./model.ts";

/** Refuses what a port would ignore: an address or a key in an option that does not exist would send requests elsewhere. */
export function checkPortOptions(
  of: string,
  given: unknown,
  names: readonly string[],
  needed: readonly string[] = [],
): void {
  if (!isObject(given)) throw bad(`The options of ${of} are an object, not ${String(given)}.`);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = closestName(name, names);
    const hint = near === undefined ? "Key and address come from env." : `Did you mean ${near}?`;
    throw bad(`${of} has no option "${name}". ${hint}`, name);
  }
  for (const name of ["model", "smallModel"]) {
    const value = given[name];
    if ((value !== undefined || needed.includes(name)) && typeof value !== "string")
      throw bad(`The option ${name} of ${of} is the name of a model, not ${String(value)}.`, name);
  }
}

function bad(message: string, option?: string): Problem {
  return new Problem("models/bad-option", message, { about: { option } });
}

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
