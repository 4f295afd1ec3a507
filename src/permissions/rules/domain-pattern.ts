import { domainToASCII } from "node:url";
import { fitsPieces } from "../../protocol/index.ts";
import type { Invalid } from "./rule.ts";
import { readSpec } from "./spec.ts";
import type { Glob } from "./spec-glob.ts";

/** What `domain:` covers: whole labels, from the right. */
export interface DomainPattern {
  readonly labels: readonly Glob[];
  /** `*.a.io`: any number of labels in front, at least one. */
  readonly below: boolean;
}

export function compileDomain(host: string): DomainPattern | Invalid {
  const name = host.trim().replace(/\.$/, "");
  if (name === "*") return { labels: [], below: true };
  const below = name.startsWith("*.");
  const labels: Glob[] = [];
  for (const label of (below ? name.slice(2) : name).split(".")) {
    const ascii = asciiLabel(label);
    if (ascii === undefined) {
      return { invalid: `"${host}" is no host name; write domain:example.com, without port or path` };
    }
    labels.push(readSpec(ascii));
  }
  return { labels, below };
}

export function coversHost(pattern: DomainPattern, host: string): boolean {
  const labels = host.split(".");
  const extra = labels.length - pattern.labels.length;
  if (pattern.below ? extra < 1 : extra !== 0) return false;
  return pattern.labels.every((label, index) => fitsPieces(label, labels[extra + index] ?? ""));
}

/** The host of an http(s) address, or undefined where programs may disagree about which host it names. */
export function hostOf(url: unknown): string | undefined {
  // Browsers drop tabs and newlines and read a backslash as a slash; other clients do not.
  if (typeof url !== "string" || url.length > 65_536 || /[\u0000-\u0020\u007f-\u00a0\\]/.test(url.trim())) {
    return undefined;
  }
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const host = hostname.toLowerCase().replace(/\.$/, "");
  return host === "" ? undefined : host;
}

function asciiLabel(label: string): string | undefined {
  const lower = label.toLowerCase();
  if (/^[a-z0-9_*-]+$/.test(lower)) return lower;
  if (lower === "" || /[\s:/@?#\\*[\]()%]/.test(lower)) return /^\[[0-9a-f:.]+\]$/.test(lower) ? lower : undefined;
  return domainToASCII(lower) || undefined;
}
