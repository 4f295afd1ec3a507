import { defaultModel } from "./known-models.ts";

/** The short names people and settings use. The environment may point them elsewhere, as it may for the client. */
export function apiName(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const short = name.replace(/\[1m\]$/, "");
  const alias = aliases[short];
  return alias === undefined ? short : (env[alias.variable] ?? alias.model);
}

/** With this suffix a model is asked for its long window. */
export function windowOf(name: string): number {
  return name.endsWith("[1m]") ? 1_000_000 : 200_000;
}

const aliases: Readonly<Record<string, { readonly variable: string; readonly model: string }>> = {
  haiku: { variable: "ANTHROPIC_DEFAULT_HAIKU_MODEL", model: "claude-haiku-5-5" },
  sonnet: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: "claude-sonnet-5-5" },
  default: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: defaultModel },
  opus: { variable: "ANTHROPIC_DEFAULT_OPUS_MODEL", model: "claude-opus-5-5" },
};
