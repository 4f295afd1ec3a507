import { lookup } from "node:dns/promises";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { isPublicAddress } from "../../../net/internal.ts";

export interface WebPage {
  readonly url: string;
  readonly code: number;
  readonly codeText: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** The page is longer than `bytes`. */
  readonly cut: boolean;
}

export type FetchResult =
  | WebPage
  /** It redirects to another host: the model decides whether to follow. */
  | { readonly from: string; readonly movedTo: string; readonly code: number; readonly codeText: string }
  | { readonly error: string };

const maxBytes = 2 ** 20;
const maxRedirects = 10;
const timeoutMs = 30_000;

/** Gets a page. Redirects within its host are followed, and each is checked as the first address was. */
export async function fetchPage(url: URL, options: WebFetchOptions, signal: AbortSignal): Promise<FetchResult> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let at = url;
  try {
    for (let moves = 0; moves <= maxRedirects; moves += 1) {
      const answer = await get(at, options, limit);
      const to = targetOf(answer, at);
      if (to === undefined) return await pageOf(answer, at);
      answer.destroy();
      if (to.host !== url.host) {
        const { statusCode: code = 0, statusMessage: codeText = "" } = answer;
        return { from: at.href, movedTo: to.href, code, codeText };
      }
      at = to;
    }
    return { error: `${url.href} redirects more than ${maxRedirects} times.` };
  } catch (error) {
    if (limit.aborted && !signal.aborted) return { error: `${url.hostname} timed out after ${timeoutMs / 1_000} s.` };
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Why an address cannot be fetched at all. */
export function urlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return "Invalid URL";
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "Invalid URL: only http and https can be fetched";
  if (username !== "" || password !== "") return "Invalid URL: it holds a user name or password";
  return hostname === "" ? "Invalid URL: it names no host" : undefined;
}

/** One request. It connects to the address that was checked, whatever a second look-up would return. */
async function get(url: URL, options: WebFetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const address = await addressOf(url.hostname.replace(/^\[|\]$/g, ""), options);
  const wish: RequestOptions = {
    host: address,
    port: url.port || (url.protocol === "https:" ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      accept: "text/html, text/*, application/json, */*;q=0.1",
      "accept-encoding": "identity",
    },
    agent: false,
    signal,
  };
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const name = isIP(url.hostname) === 0 ? { servername: url.hostname } : {};
  return new Promise((resolve, reject) => {
    send({ ...wish, ...name }, resolve)
      .once("error", reject)
      .end();
  });
}

async function addressOf(host: string, options: WebFetchOptions): Promise<string> {
  const { permits = isPublicAddress, resolve = systemResolve } = options;
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  // One bad address among good ones is a trap, not a choice.
  const bad = addresses.find((address) => !permits(address));
  const [first] = addresses;
  if (bad !== undefined) throw new Error(`${host} is ${bad}, which is not an address of the public internet.`);
  if (first === undefined) throw new Error(`${host} has no address.`);
  return first;
}

async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function targetOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return undefined;
  const fault = URL.canParse(location, from.href) ? urlFault(new URL(location, from).href) : "Invalid URL";
  if (fault !== undefined) throw new Error(`${from.href} redirects to an address that cannot be fetched: ${fault}`);
  return new URL(location, from);
}

async function pageOf(answer: IncomingMessage, at: URL): Promise<WebPage> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  answer.destroy();
  const encoding = answer.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw new Error(`${at.href} answers in ${encoding}, which was not requested.`);
  const { statusCode: code = 0, statusMessage: codeText = "" } = answer;
  const type = answer.headers["content-type"] ?? "";
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  return { url: at.href, code, codeText, type, bytes, cut: size > maxBytes };
}

/** How WebFetch connects, and who reads the page. */
export interface WebFetchOptions {
  /** Answers the prompt from the page with a small model. */
  readonly digest: (text: string, prompt: string, signal: AbortSignal) => Promise<string>;
  /** Whether an address may be connected to. Default: public ones only. */
  readonly permits?: (address: string) => boolean;
  /** Resolves a host name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}
