import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that speaks chat completions on loopback: sends the chunks it was given, one list per request, and keeps what it was asked. */
export interface ChatApi {
  readonly url: string;
  readonly requests: readonly ChatRequest[];
  close(): Promise<void>;
}

export interface ChatRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Chunks of one answer; or an error; `drop` breaks the stream off after its chunks. */
export type ChatTurn =
  | { readonly chunks: readonly object[]; readonly drop?: true }
  | { readonly status: number; readonly error: object; readonly retryAfter?: string };

export async function startChatApi(turns: readonly ChatTurn[]): Promise<ChatApi> {
  const requests: ChatRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request));
    requests.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
    answer(response, turns[requests.length - 1] ?? { status: 500, error: { message: "the script has run out" } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}/v1`, requests, close };
}

function answer(response: ServerResponse, turn: ChatTurn): void {
  if ("status" in turn) {
    if (turn.retryAfter !== undefined) response.setHeader("retry-after", turn.retryAfter);
    response.writeHead(turn.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: turn.error }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_chat" });
  for (const chunk of turn.chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  if (turn.drop) setImmediate(() => response.destroy());
  else response.end("data: [DONE]\n\n");
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
