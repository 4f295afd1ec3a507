import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { specialAddress } from "../../../net/internal.ts";
import { fitsWildcard, type LayerKind, messageOf } from "../../../protocol/internal.ts";
import type { EffectiveSettings } from "../../live/effective-settings.ts";
import { type ConfiguredHook, isOfCheckout } from "../../settings/layer.ts";
import type { PolicyList } from "../../settings/merge-layers.ts";

/** Which URLs and addresses a hook may reach, worked out for its layer beforehand. */
export interface UrlPolicy {
  /** Lists of URL patterns. The URL must be on each of them; without a list it may be any. */
  readonly urlLists: readonly (readonly string[])[];
  /** Whether loopback, private and similar addresses may be reached: always, or under these URL patterns. */
  readonly allowPrivate: boolean | readonly string[];
}

export interface HttpPolicy extends UrlPolicy {
  /** Lists of the variables that headers may name. A variable must be on each of them. */
  readonly variableLists: readonly (readonly string[])[];
}

type AdmittedUrl =
  | { readonly url: URL; readonly allowPrivate: boolean }
  /** In words that hold no part of the URL which could be a secret. */
  | { readonly refused: string };

export function admitUrl(text: string, policy: UrlPolicy): AdmittedUrl {
  if (/[\u0000-\u0020\u007f]/.test(text)) return { refused: "the url holds blanks or control characters" };
  if (!URL.canParse(text)) return { refused: "the url cannot be read" };
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { refused: `the url begins with ${url.protocol} but only http: and https: are allowed` };
  }
  if (!policy.urlLists.every((list) => isListed(url, list))) {
    return { refused: `${urlInWords(url)} is not on the list allowedHttpHookUrls` };
  }
  const { allowPrivate } = policy;
  return { url, allowPrivate: typeof allowPrivate === "boolean" ? allowPrivate : isListed(url, allowPrivate) };
}

/** A URL without the parts that may hold tokens. */
export function urlInWords(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function isListed(url: URL, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesUrl(pattern, url));
}

/** Where a hook's requests may go and which variables its headers may hold. */
export function httpPolicyOf({ layer }: ConfiguredHook, { merged: { http }, trust }: EffectiveSettings): HttpPolicy {
  /** A list of the checkout narrows what hooks of other layers may do only when it is trusted. */
  const applies = (key: "allowedHttpHookUrls" | "httpHookAllowedEnvVars") => (list: PolicyList) =>
    !isOfCheckout(list.layer) || isOfCheckout(layer) || trust.ofKey(list.layer, key).state === "trusted";
  return {
    urlLists: http.urls.filter(applies("allowedHttpHookUrls")).map(({ values }) => values),
    variableLists: http.variables.filter(applies("httpHookAllowedEnvVars")).map(({ values }) => values),
    allowPrivate: reachesAnywhere.has(layer.kind) || http.allowPrivate,
  };
}

/** Hooks of these layers were written by the user, the policy or the program itself. */
const reachesAnywhere: ReadonlySet<LayerKind> = new Set(["managed", "user", "flag", "session", "callback"]);

/**
 * Whether a URL is one of those that `pattern` names, part by part: `scheme://host[:port][/path]`.
 *
 * `*` in the path stands for anything. A host is compared whole: `*.` in front stands for one or more names, `*` elsewhere for a
 * part of one name, so that nothing can be added at the end. Without a port only the scheme's own port matches, `:*` is any port;
 * without a path only `/` matches. A lone `*` is every URL. A pattern that cannot be read matches nothing.
 */
export function matchesUrl(pattern: string, url: URL): boolean {
  if (pattern === "*") return true;
  const parts = /^([a-z*]+):\/\/(\[[0-9a-f:.]+\]|[^/?#@:[\]\s]+)(?::(\d+|\*))?([/?][^#\s]*)?$/i.exec(pattern);
  if (parts === null) return false;
  const [, scheme = "", host = "", port, path = "/"] = parts;
  return (
    fitsWildcard(scheme.toLowerCase(), url.protocol.slice(0, -1)) &&
    matchesHost(host, url.hostname) &&
    matchesPort(port, url) &&
    fitsWildcard(asWritten(path), url.pathname + url.search)
  );
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  const wanted = sameSpelling(pattern);
  if (wanted === undefined) return false;
  const names = withoutDot(host).split(".");
  const patterns = wanted.split(".");
  const further = names.length - patterns.length;
  if (patterns[0] === "*" ? further < 0 : further !== 0) return false;
  return patterns.every((one, index) => fitsWildcard(one, names[further + index] ?? ""));
}

/** A host as the URL parser writes it: lower case, ASCII, numbers of an address in their usual form. */
function sameSpelling(host: string): string | undefined {
  if (host.includes("*")) return withoutDot(domainToASCII(host)) || undefined;
  return URL.canParse(`http://${host}/`) ? withoutDot(new URL(`http://${host}/`).hostname) : undefined;
}

function withoutDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

function matchesPort(pattern: string | undefined, url: URL): boolean {
  if (pattern === "*") return true;
  const own = url.protocol === "https:" ? "443" : "80";
  return (pattern ?? own) === (url.port || own);
}

/** Dot segments resolved and odd characters escaped, as they are in the URL it is compared with. */
function asWritten(path: string): string {
  const from = path.startsWith("/") ? path : `/${path}`;
  if (!URL.canParse(`http://host${from}`)) return from;
  const { pathname, search } = new URL(`http://host${from}`);
  return pathname + search;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Contract: resolves with every address of a name, or rejects. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

type ResolvedHost = { readonly addresses: readonly Address[] } | { readonly refused: string };

/**
 * The addresses that a connection may use. Contract: asks once, and if one address may not be reached, none may: a name with a
 * public and a private address would otherwise be private by luck.
 */
export async function resolveHost(host: string, allowPrivate: boolean, resolve: Resolve): Promise<ResolvedHost> {
  const literal = host.replace(/^\[|\]$/g, "");
  const family = isIP(literal);
  let addresses: readonly Address[];
  try {
    addresses = family === 0 ? await resolve(host) : [{ address: literal, family }];
  } catch (error) {
    return { refused: `${host} was not found (${messageOf(error)})` };
  }
  if (addresses.length === 0) return { refused: `${host} has no address` };
  if (allowPrivate) return { addresses };
  for (const { address } of addresses) {
    const special = specialAddress(address);
    if (special === null) continue;
    const which =
      family === 0 ? `${host} leads to ${address}, a ${special} address` : `${host} is a ${special} address`;
    return { refused: `${which}, which a hook of this source may not reach; see httpHookAllowPrivate` };
  }
  return { addresses };
}

/** The key of the app in the URL of an entry that `hookline install` wrote. */
export function appKeyIn({ pathname, hostname }: URL): string | undefined {
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
  return isLoopback ? /^\/v1\/hook\/([0-9a-f]{32})$/.exec(pathname)?.[1] : undefined;
}

/**
 * Why no request is sent to the URL, as far as that is known without looking up its host name. Undefined for an entry that
 * `hookline install` wrote: Claude Code calls it, and install prints a note where Hookline's hosts do not.
 */
export async function refusalWithoutLookup(text: string, policy: UrlPolicy): Promise<string | undefined> {
  const admitted = admitUrl(text, policy);
  if ("refused" in admitted) return admitted.refused;
  const { hostname } = admitted.url;
  if (appKeyIn(admitted.url) !== undefined) return undefined;
  if (hostname !== "localhost" && isIP(hostname.replace(/^\[|\]$/g, "")) === 0) return undefined;
  const resolved = await resolveHost(hostname, admitted.allowPrivate, async () => [
    { address: "127.0.0.1", family: 4 },
  ]);
  return "refused" in resolved ? resolved.refused : undefined;
}
