import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

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
