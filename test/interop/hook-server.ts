import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { HttpAnswer } from "./case.ts";

/** What http hooks of a case talk to. */
export interface HookServer {
  readonly url: string;
  /** Paths asked for, in order of arrival. */
  readonly requested: readonly string[];
  close(): Promise<void>;
}

export async function startHookServer(answers: Readonly<Record<string, HttpAnswer>>): Promise<HookServer> {
  const requested: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    requested.push(path);
    const { status = 200, body = "", headers = {}, delayMs = 0 } = answers[path] ?? { status: 404 };
    if (delayMs > 0) await pause(delayMs, undefined, { ref: false });
    const type = typeof body === "string" ? "text/plain" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested, close };
}

/** An address without a listener: a port that was free a moment ago. */
export async function refusingUrl(): Promise<string> {
  const server = await startHookServer({});
  await server.close();
  return server.url;
}
