// Masks keys and tokens in what tools print, before the model reads it. Output that cannot be masked does not get through.
// app.include(redactSecrets({ patterns: [/\bACME-\d{8}\b/g] }));
import { type Blueprint, blueprint, mapOutput } from "hookline/sdk";

export interface RedactSecretsOptions {
  /** Further shapes of secrets; with the flag g, every one in a text is masked. */
  readonly patterns?: readonly RegExp[];
}

/** Shapes of keys, and values whose name says what they are. Each is bounded, so that long outputs cost little. */
const common = [
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{60,255})\b/g,
  /\bglpat-[\w-]{20,255}/g,
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{20,255}/g,
  /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}\b/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,255}/g,
  /\bAIza[\w-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:)[^\s@/]{3,200}(?=@)/gi,
  /(?<=(?:password|passwd|secret|token|api_?key|access_?key)["']?(?:\s{0,3}[:=]\s{0,3}["']|=|:\s{1,3}(?=\S{0,300}\d)))[^\s"',;]{8,300}/gi,
  /(?<=\bauthorization:\s{0,3}(?:bearer|basic)\s{1,3})[\w.~+/=-]{8,4000}/gi,
];

export function redactSecrets({ patterns = [] }: RedactSecretsOptions = {}): Blueprint {
  const all = [...common, ...patterns];
  const mask = (text: string) => all.reduce((masked, pattern) => masked.replace(pattern, "[redacted]"), text);
  const part = blueprint("redact-secrets");
  part.postTool({ name: "redact-secrets", onFailure: "block" }, ({ response }) =>
    holdsSecret(response, mask) ? mapOutput(mask) : undefined,
  );
  return part;
}

function holdsSecret(value: unknown, mask: (text: string) => string): boolean {
  if (typeof value === "string") return mask(value) !== value;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((inner) => holdsSecret(inner, mask));
}
