import { domainToASCII } from "node:url";
import { fitsWildcard } from "../../../protocol/index.ts";

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
  if (patterns[0] === "*") {
    const tail = patterns.slice(1);
    if (names.length <= tail.length) return false;
    return matchesNames(tail, names.slice(names.length - tail.length));
  }
  return matchesNames(patterns, names);
}

function matchesNames(patterns: readonly string[], names: readonly string[]): boolean {
  return (
    patterns.length === names.length && patterns.every((pattern, index) => fitsWildcard(pattern, names[index] ?? ""))
  );
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
