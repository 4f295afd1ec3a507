import type { IncomingMessage, ServerResponse } from "node:http";

export type Body =
  | { readonly bytes: Buffer }
  | { readonly status: 408 | 413; readonly why: string }
  | { readonly gone: true };

/** `withinMs` is for the whole body, not from piece to piece. */
type BodyLimits = Readonly<Record<"maxBytes" | "withinMs", number>>;

/** Contract: settles within the limits; nothing larger than the limit is ever held. */
export function readBody(request: IncomingMessage, { maxBytes, withinMs }: BodyLimits): Promise<Body> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve(tooLarge(maxBytes));
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    let ended = false;
    const timer = setTimeout(() => end({ status: 408, why: `the body took longer than ${withinMs} ms` }), withinMs);
    const end = (body: Body) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      resolve(body);
    };
    request.on("data", (part: Buffer) => {
      if (ended) return;
      length += part.length;
      if (length > maxBytes) end(tooLarge(maxBytes));
      else parts.push(part);
    });
    request.on("end", () => end({ bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts) }));
    request.on("error", () => end({ gone: true }));
    request.on("close", () => end({ gone: true }));
  });
}

function tooLarge(maxBytes: number): Body {
  return { status: 413, why: `the body is larger than ${maxBytes} bytes` };
}

type ReplyHeaders = Readonly<Record<string, string>>;

/** Sends JSON. Contract: no header beyond what is needed, none that lets another site read it. */
export function sendJson(reply: ServerResponse, status: number, value: unknown, headers: ReplyHeaders = {}): void {
  sendText(reply, status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
}

export function sendText(reply: ServerResponse, status: number, text: string, headers: ReplyHeaders = {}): void {
  if (reply.headersSent || reply.destroyed) return;
  reply.writeHead(status, { "Content-Length": Buffer.byteLength(text), "Cache-Control": "no-store", ...headers });
  // As text, head and body leave in one piece.
  reply.end(text);
}

/** Turns a request away whose body was not read: the connection ends with it, or the rest would be taken for the next request. */
export function turnAway(reply: ServerResponse, status: number, why: string, headers: ReplyHeaders = {}): void {
  sendJson(reply, status, { error: why }, { Connection: "close", ...headers });
}

/** How long a sender may take to notice that it was answered before it was done. */
const noticeMs = 3_000;

/**
 * For an answer that must arrive although the body is not read to its end: what still comes is thrown away. A connection that were closed
 * with unread bytes takes the answer with it. Contract: called before the answer, which does not close the connection.
 */
export function letSend(request: IncomingMessage): void {
  const late = setTimeout(() => request.destroy(), noticeMs);
  request.once("close", () => clearTimeout(late));
  request.resume();
}
