import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { chmod, lstat, unlink } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Problem } from "../protocol/internal.ts";
import { turnAway } from "./request-body.ts";

interface LoopbackOptions {
  readonly token: string;
  /** 0: any that is free. */
  readonly port: number;
  /** The path of a local socket in addition to the port. Its folder must be private. */
  readonly socket?: string;
  /** Called for what has passed the gate. */
  readonly handle: (request: IncomingMessage, reply: ServerResponse) => void;
}

export interface Loopback {
  readonly port: number;
  /** Accepts no more connections; requests of open ones are answered. */
  stop(): void;
  /** Ends every connection. */
  end(): void;
}

/**
 * One local server: 127.0.0.1 and, if wanted, a socket that this user alone may open.
 *
 * Plain `node:http`: a round trip may cost a hundredth of a start of Node, and what routes and wraps requests on top would be the
 * larger part of that.
 */
export async function openLoopback(options: LoopbackOptions): Promise<Loopback> {
  const byPort = newServer();
  const port = await listen(byPort, options.port);
  setGate(byPort, new Set(loopbackHosts(port)), options);
  const servers = [byPort];
  if (options.socket !== undefined) {
    const bySocket = newServer();
    setGate(bySocket, new Set(["localhost", ...loopbackHosts(port)]), options);
    try {
      await listenOnSocket(bySocket, options.socket);
    } catch (error) {
      byPort.close();
      throw error;
    }
    servers.push(bySocket);
  }
  return {
    port,
    stop() {
      for (const server of servers) {
        server.close();
        server.closeIdleConnections();
      }
    },
    end() {
      for (const server of servers) server.closeAllConnections();
    },
  };
}

function newServer(): Server {
  const server = createServer({
    // The gate refuses a missing name as it does a wrong one.
    requireHostHeader: false,
    headersTimeout: 5_000,
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 60_000,
    maxHeaderSize: 16 * 1024,
    noDelay: true,
  });
  // Node silently drops headers above a count, and the gate must see them all; their size is bounded.
  server.maxHeadersCount = 0;
  return server;
}

/** Every request of every route passes the gate before anything else of it is read. */
function setGate(server: Server, hosts: ReadonlySet<string>, options: LoopbackOptions): void {
  const pass = (request: IncomingMessage, reply: ServerResponse): boolean => {
    reply.sendDate = false;
    const why = siteRefusal(request, hosts);
    if (why !== undefined) turnAway(reply, 403, why);
    else if (!hasToken(request, options.token))
      turnAway(reply, 401, "the token is missing or wrong", { "WWW-Authenticate": "Bearer" });
    else return true;
    return false;
  };
  server.on("request", (request, reply) => {
    if (pass(request, reply)) options.handle(request, reply);
  });
  // A client that sends "Expect: 100-continue" gets its answer before it sends the body.
  server.on("checkContinue", (request, reply) => {
    if (!pass(request, reply)) return;
    reply.writeContinue();
    options.handle(request, reply);
  });
  server.on("checkExpectation", (request, reply) => {
    if (pass(request, reply)) turnAway(reply, 417, "only 100-continue can be expected");
  });
}

/**
 * Why a request is refused. A page of another site can reach a loopback port: by a name that it made point here (`Host`), or from the
 * browser (`Origin`, `Sec-Fetch-Site`).
 */
function siteRefusal(request: IncomingMessage, hosts: ReadonlySet<string>): string | undefined {
  const { host = "", origin, "sec-fetch-site": site = "none" } = request.headers;
  if (!hosts.has(host) || repeatsHost(request)) return "unknown Host";
  return origin === undefined && site === "none" ? undefined : "cross-site requests are rejected";
}

/** Node keeps the first of two; another reader on the way might have kept the last. */
function repeatsHost({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === "host").length > 1;
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const [, given] = /^Bearer ([!-~]{1,512})$/i.exec(headers.authorization ?? "") ?? [];
  return given !== undefined && sameToken(given, token);
}

/** The names of a server on this port. */
function loopbackHosts(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen({ port, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw cause;
    const message = `Port ${port} of 127.0.0.1 is not available (${code}). Choose another port or stop the program that uses it.`;
    throw new Problem("loopback/port-taken", message, { about: { port }, cause });
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Replaces a socket at the path: the caller knows that no server listens there. Contract: a link or a file is refused. */
async function listenOnSocket(server: Server, path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (!found.isSocket()) {
      const message = `${path} exists and is not a socket. Remove it and try again.`;
      throw new Problem("loopback/not-a-socket", message, { about: { path } });
    }
    await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  server.listen({ path });
  await once(server, "listening");
  await chmod(path, 0o600);
}

/** 256 random bits, harmless in a header, a URL and a shell. */
export function newToken(): string {
  return randomBytes(32).toString("hex");
}

/** Contract: takes the same time whatever the two have in common. The length of a token is not secret. */
export function sameToken(given: string, own: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(own)];
  return one.length === other.length && timingSafeEqual(one, other);
}
