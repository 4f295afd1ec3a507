/** Masks keys and tokens in what tools print, before the model reads it. */
import { type Blueprint, blueprint, mapOutput } from "hookline/sdk";

export interface RedactSecretsOptions {
  readonly patterns?: readonly RegExp[];
}

const common = [
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b/g,
  /\bsk-[A-Za-z0-9_-]{20,}\b/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
];

export function redactSecrets({ patterns = common }: RedactSecretsOptions = {}): Blueprint {
  const mask = (text: string) => patterns.reduce((masked, pattern) => masked.replace(pattern, "[redacted]"), text);
  const part = blueprint("redact-secrets");
  part.postTool({ name: "redact-secrets", onFailure: "block" }, ({ response }) =>
    JSON.stringify(response) ===
    JSON.stringify(response, (_key, value: unknown) => (typeof value === "string" ? mask(value) : value))
      ? undefined
      : mapOutput(mask),
  );
  return part;
}
