import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brokenRule, type WireRequest } from "../../src/models/anthropic/request-rules.ts";
import { errorOf, eventsOf, isFailure, messageOf, wholeOf } from "./message.ts";
import { purposeOf, type RequestPurpose } from "./request-purpose.ts";
import { type MessagesRequest, type Script, turnOf, type Whole } from "./script.ts";

/** A Messages API on loopback that says what a script tells it to and remembers what it was asked. */
export interface ScriptedApi {
  /** What a client takes as its base URL. */
  readonly url: string;
  /** Every request for a message so far, in order of arrival. */
  readonly requests: readonly LoggedRequest[];
  /** Requests that break a rule of the real API and were answered with status 400; they use no turn of the script. */
  readonly rejected: readonly RejectedRequest[];
  close(): Promise<void>;
}

export interface RejectedRequest {
  readonly message: string;
  readonly body: MessagesRequest;
}

export interface LoggedRequest {
  readonly purpose: RequestPurpose;
  /** How many requests of this purpose came before. */
  readonly index: number;
  readonly body: MessagesRequest;
  readonly authorization: string | undefined;
  /** The header `anthropic-beta`. */
  readonly beta: string | undefined;
}

export async function startScriptedApi(script: Script): Promise<ScriptedApi> {
  const requests: LoggedRequest[] = [];
  const rejected: RejectedRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response, script, { requests, rejected }).catch((error) => {
      sendJson(response, 500, errorOf({ status: 500, message: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, rejected, close: () => close(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  { requests, rejected }: { requests: LoggedRequest[]; rejected: RejectedRequest[] },
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://loopback").pathname;
  const text = await textOf(request);
  if (path === "/" && (request.method === "HEAD" || request.method === "GET")) {
    response.writeHead(200).end();
    return;
  }
  if (request.method !== "POST" || !path.startsWith("/v1/messages")) {
    sendJson(response, 404, errorOf({ status: 404, message: `nothing at ${request.method} ${path}` }));
    return;
  }
  const body = JSON.parse(text) as MessagesRequest;
  if (path === "/v1/messages/count_tokens") {
    sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) });
    return;
  }
  const broken = brokenRule(body as WireRequest, { toolsOptional: isClient(request) });
  if (broken !== undefined) {
    rejected.push({ message: broken, body });
    sendJson(response, 400, errorOf({ status: 400, message: broken }));
    return;
  }
  const purpose = purposeOf(body);
  const index = requests.filter((earlier) => earlier.purpose === purpose).length;
  const beta = request.headers["anthropic-beta"];
  requests.push({ purpose, index, body, authorization: request.headers.authorization, beta: beta?.toString() });
  const turn = turnOf(script, purpose, body, index);
  if (isFailure(turn)) {
    if (turn.retryAfter !== undefined) response.setHeader("retry-after", turn.retryAfter);
    sendJson(response, turn.status, errorOf(turn));
    return;
  }
  const whole = wholeOf(turn);
  await new Promise((resolve) => setTimeout(resolve, whole.delayMs ?? 0));
  const serial = requests.length;
  if (body.stream) sendEvents(response, whole, body.model, serial);
  else sendJson(response, 200, messageOf(whole, body.model, serial));
}

/** The official client, which the interop tests run. */
function isClient({ headers }: IncomingMessage): boolean {
  return headers["user-agent"]?.startsWith("claude-cli/") === true;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_scripted" });
  response.end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, whole: Whole, model: string, serial: number): void {
  const message = messageOf(whole, model, serial);
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_${message.id}` });
  for (const event of eventsOf(message, whole.chunk)) {
    if (whole.breaks !== undefined && event.type === "content_block_stop") {
      breakOff(response, whole.breaks);
      return;
    }
    send(response, event);
  }
  response.end();
}

function send(response: ServerResponse, event: { readonly type: string }): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function breakOff(response: ServerResponse, how: NonNullable<Whole["breaks"]>): void {
  if (how === "connection") {
    setImmediate(() => response.destroy());
    return;
  }
  send(response, { type: "error", error: { type: how, message: "Overloaded" } } as { readonly type: string });
  response.end();
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
}
