import type { LayerKind } from "../../../protocol/index.ts";
import type { ConfiguredHook } from "../../settings/configured.ts";
import type { InForce } from "../../settings/in-force.ts";
import type { PolicyList } from "../../settings/merge-layers.ts";
import { isOfCheckout } from "../../trust/trust-state.ts";
import type { HttpPolicy } from "./http-hook.ts";
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

/** Where a hook's requests may go and which variables its headers may hold. */
export function httpPolicyOf({ layer }: ConfiguredHook, { effective: { http }, narrows }: InForce): HttpPolicy {
  const applies = (key: "allowedHttpHookUrls" | "httpHookAllowedEnvVars") => (list: PolicyList) =>
    !isOfCheckout(list.layer) || isOfCheckout(layer) || narrows(list.layer, key);
  const [urls = null, ...narrowing] = http.urls.filter(applies("allowedHttpHookUrls")).map(({ values }) => values);
  const variables = http.variables.filter(applies("httpHookAllowedEnvVars")).map(({ values }) => values);
  return {
    allowedUrls: urls,
    narrowing,
    allowedEnvVars:
      variables.length === 0 ? null : variables.reduce((kept, list) => kept.filter((name) => list.includes(name))),
    allowPrivate: reachesAnywhere.has(layer.kind) || http.allowPrivate,
  };
}

/** Hooks of these layers were written by the user, the policy or the program itself. */
const reachesAnywhere: ReadonlySet<LayerKind> = new Set(["managed", "user", "flag", "session", "callback"]);
