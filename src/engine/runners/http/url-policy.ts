import { matchesUrl } from "./url-pattern.ts";

/** Which URLs and addresses a hook may reach, worked out for its layer beforehand. */
export interface UrlPolicy {
  /** `null` restricts nothing, an empty list allows nothing. */
  readonly allowedUrls: readonly string[] | null;
  /** Lists that can only narrow: the URL must be on each of them too. */
  readonly narrowing?: readonly (readonly string[])[];
  /** Whether loopback, private and similar addresses may be reached: always, or under these URL patterns. */
  readonly allowPrivate: boolean | readonly string[];
}

export type AdmittedUrl =
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
  const lists = [...(policy.allowedUrls === null ? [] : [policy.allowedUrls]), ...(policy.narrowing ?? [])];
  if (!lists.every((list) => isListed(url, list))) {
    return { refused: `${urlInWords(url)} is not on the list allowedHttpHookUrls` };
  }
  return { url, allowPrivate: isPrivateAllowed(url, policy.allowPrivate) };
}

/** A URL without the parts in which people put tokens. */
export function urlInWords(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function isListed(url: URL, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesUrl(pattern, url));
}

function isPrivateAllowed(url: URL, allowed: boolean | readonly string[]): boolean {
  return typeof allowed === "boolean" ? allowed : isListed(url, allowed);
}
