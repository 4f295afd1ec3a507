import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmod, lstat, unlink } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Problem } from "../protocol/internal.ts";
import { turnAway } from "./request-body.ts";

export interface LoopbackOptions extends Pick<GateOptions, "token"> {
  /** 0: any that is free. */
  readonly port: number;
  /** The path of a local socket in addition to the port. Its folder must be private. */
  readonly socket?: string;
  /** Whether pages that this server sends may ask it. */
  readonly ownPages?: boolean;
  /** Called for what has passed the gate. */
  readonly handle: (request: IncomingMessage, reply: ServerResponse) => void;
}

export interface Loopback {
  readonly port: number;
  /** Takes no more connections; those that are open are served to the end of what they have asked. */
  stop(): void;
  /** Ends every connection. */
  end(): void;
}

/**
 * One local server: 127.0.0.1 and, if wanted, a socket that this user alone may open.
 *
 * Plain `node:http`: a round trip may cost a hundredth of a start of Node, and what routes and wraps requests on top would be the
 * larger part of that. A page server can hang its router into `handle`, behind the same gate.
 */
export async function openLoopback(options: LoopbackOptions): Promise<Loopback> {
  const byPort = newServer();
  const port = await listen(byPort, options.port);
  setGate(byPort, loopbackHosts(port), options);
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
    // A missing name is the gate's business: it says 403 to it as to a wrong one.
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

function setGate(server: Server, hosts: ReadonlySet<string>, options: LoopbackOptions): void {
  const { token, ownPages, handle } = options;
  const gate: GateOptions = {
    token,
    hosts,
    ...(ownPages === true ? { origins: new Set([...hosts].map((host) => `http://${host}`)) } : {}),
  };
  const pass = (request: IncomingMessage, reply: ServerResponse): boolean => {
    reply.sendDate = false;
    const refused = refuse(request, gate);
    if (refused === undefined) return true;
    turnAway(reply, refused.status, refused.why, refused.status === 401 ? { "WWW-Authenticate": "Bearer" } : {});
    return false;
  };
  server.on("request", (request, reply) => {
    if (pass(request, reply)) handle(request, reply);
  });
  // A client that sends "Expect: 100-continue" gets its answer before it sends the body.
  server.on("checkContinue", (request, reply) => {
    if (!pass(request, reply)) return;
    reply.writeContinue();
    handle(request, reply);
  });
  server.on("checkExpectation", (request, reply) => {
    if (pass(request, reply)) turnAway(reply, 417, "100-continue is all that can be expected");
  });
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EADDRINUSE" && cause.code !== "EACCES") return reject(cause);
      const message = `Port ${port} of 127.0.0.1 is not available (${cause.code}). Choose another port or stop the program that uses it.`;
      reject(new Problem("loopback/port-taken", message, { about: { port }, cause }));
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.removeAllListeners("error");
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Contract: only a socket without a listener is removed; a link or a file at the path is refused. */
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
  await chmod(path, 0o600);
}

/** What the gate looks at. */
export type Asking = Pick<IncomingMessage, "headers" | "rawHeaders">;

/** Why a request is turned away, as a status and a sentence. */
export interface Refused {
  readonly status: 401 | 403;
  readonly why: string;
}

export interface GateOptions {
  readonly token: string;
  /** The names this server has: `127.0.0.1:PORT` and its sisters. */
  readonly hosts: ReadonlySet<string>;
  /** Whether pages served by this server may send requests to it. Default: no page may. */
  readonly origins?: ReadonlySet<string>;
}

/**
 * Every request of every route passes here before anything of it is looked at. A page of another site can reach a loopback port:
 * by a name that it made point here (`Host`), or from the browser (`Origin`, `Sec-Fetch-Site`). Neither is answered with more than no.
 */
export function refuse(request: Asking, options: GateOptions): Refused | undefined {
  const { headers } = request;
  const { hosts, origins, token } = options;
  if (!hosts.has(headers.host ?? "") || repeats(request, "host")) return no("this server does not go by that name");
  const { origin } = headers;
  if (origin !== undefined && !origins?.has(origin)) return no("pages of other sites are not answered");
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "none" && !(site === "same-origin" && origins !== undefined)) {
    return no("pages of other sites are not answered");
  }
  const given = bearer(request);
  if (given === undefined || !sameToken(given, token)) return { status: 401, why: "the token is missing or wrong" };
  return undefined;
}

/** The names of a server on this port. */
export function loopbackHosts(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
}

function no(why: string): Refused {
  return { status: 403, why };
}

function bearer({ headers }: Asking): string | undefined {
  return /^Bearer ([!-~]{1,512})$/i.exec(headers.authorization ?? "")?.[1];
}

/** Node keeps the first of two; another reader on the way might have kept the last. */
function repeats({ rawHeaders }: Asking, name: string): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) times++;
  return times > 1;
}

/** 256 random bits, harmless in a header, a URL and a shell. */
export function newToken(): string {
  return randomBytes(32).toString("hex");
}

/** Contract: takes the same time whatever the two have in common. How long a token is, everybody may know. */
export function sameToken(given: string, own: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(own)];
  return one.length === other.length && timingSafeEqual(one, other);
}
