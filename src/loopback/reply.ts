import type { IncomingMessage, ServerResponse } from "node:http";

/** Sends JSON. Contract: no header beyond what is needed, none that lets another site read it. */
export function sendJson(
  reply: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(reply, status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
}

export function sendText(
  reply: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (reply.headersSent || reply.destroyed) return;
  reply.writeHead(status, { "Content-Length": Buffer.byteLength(text), "Cache-Control": "no-store", ...headers });
  // As text, head and body leave in one piece.
  reply.end(text);
}

/** Turns a request away whose body was not read: the connection ends with it, or the rest would be taken for the next request. */
export function turnAway(
  reply: ServerResponse,
  status: number,
  why: string,
  headers: Readonly<Record<string, string>> = {},
): void {
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
