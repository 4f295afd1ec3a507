import { sameOriginFetch } from "../net/internal.ts";
import type { AnswerReader, ModelError, ModelEvent } from "./model.ts";

/** Far more than any model writes and far less than memory: text, thinking and tool input of one answer together. */
export const maxAnswerChars: number = 32 * 2 ** 20;

/** A server that does not stop writing must not fill memory: its answer is aborted. A retry would end the same way. */
export const answerTooLarge: ModelError = {
  type: "error",
  errorType: "answer-too-large",
  message: "The answer was aborted: it exceeded the size limit and had not ended.",
};

/**
 * The events of a stream until they are too many: then `answerTooLarge` is the last event and the stream is closed. Returns whether all
 * pieces came.
 */
export async function* limitAnswer<Piece>(
  pieces: AsyncIterable<Piece>,
  { read, startSize }: Pick<AnswerReader<Piece>, "read" | "startSize">,
  maxChars: number = maxAnswerChars,
): AsyncGenerator<ModelEvent, boolean> {
  let chars = 0;
  for await (const piece of pieces) {
    const events = read(piece);
    // Empty pieces take memory too.
    chars += (startSize?.(piece) ?? 0) + (events.length === 0 ? emptyPiece : 0);
    for (const event of events) chars += charsIn(event);
    if (chars > maxChars) {
      yield answerTooLarge;
      return false;
    }
    yield* events;
  }
  return true;
}

const emptyPiece = 64;

function charsIn(event: ModelEvent): number {
  switch (event.type) {
    case "text":
    case "thinking":
      return event.text.length;
    case "tool-input":
      return event.json.length;
    case "tool-call":
      return event.id.length + event.name.length + 8 * emptyPiece;
    default:
      return 0; // its content was counted when it came
  }
}

/** A line of a stream does not end: the official clients would hold all of it. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

/** Of a body that is not an event stream, such as an error or a gateway's page; the rest is not read. */
const maxPageBytes = 2 ** 20;

/** `fetch` for the official clients, which keep whatever a server sends: it limits lines and pages, and its redirects do not carry the key to another origin. */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await sameOriginFetch(input, init);
  if (response.body === null) return response;
  const streams = response.ok && (response.headers.get("content-type") ?? "").includes("event-stream");
  const bounded = response.body.pipeThrough(streams ? limitLine() : limitBody());
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}

export function limitLine(lineBytes: number = maxAnswerChars): TransformStream<Uint8Array, Uint8Array> {
  let since = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const newline = chunk.lastIndexOf(10);
      since = newline < 0 ? since + chunk.length : chunk.length - newline - 1;
      if (since > lineBytes) controller.error(new LineTooLong("a line of the answer does not end"));
      else controller.enqueue(chunk);
    },
  });
}

export function limitBody(pageBytes: number = maxPageBytes): TransformStream<Uint8Array, Uint8Array> {
  let left = pageBytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}
