import { sameOriginFetch } from "../net/index.ts";
import { mostAnswerChars } from "./answer-size.ts";

/** A line of a stream that never ends: the official clients would hold all of it. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

export interface BodyLimits {
  readonly lineBytes: number;
  /** Of a body that is no stream of events: an error, or a gateway's page. The rest is not read. */
  readonly pageBytes: number;
}

const limits: BodyLimits = { lineBytes: mostAnswerChars, pageBytes: 2 ** 20 };

/** `fetch` for the official clients, which keep whatever a server sends: with an end to lines and to pages, and with redirects that do not carry the key away. */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await sameOriginFetch(input, init);
  if (response.body === null) return response;
  const streams = response.ok && (response.headers.get("content-type") ?? "").includes("event-stream");
  const bounded = response.body.pipeThrough(streams ? lineBound(limits) : pageBound(limits));
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}

export function lineBound({ lineBytes }: Pick<BodyLimits, "lineBytes">): TransformStream<Uint8Array, Uint8Array> {
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

export function pageBound({ pageBytes }: Pick<BodyLimits, "pageBytes">): TransformStream<Uint8Array, Uint8Array> {
  let left = pageBytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}
