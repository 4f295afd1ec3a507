import { defaultModel, knownModel } from "./known-models.ts";

/** The short names people and settings use. The environment may point them elsewhere, as it may for the client. */
export function apiName(name: string, env: Readonly<Record<string, string | undefined>>): string {
  return meant(name, env).replace(longMark, "");
}

/** Whether a name asks for the long window of its model: `[1m]` behind it, or behind what the environment makes of it. */
export function isLong(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return longMark.test(name) || longMark.test(meant(name, env));
}

/** Tokens that a model holds: what the table says, a million with the mark, and 200,000 for a model that is not in the table. */
export function windowOf(name: string, env: Readonly<Record<string, string | undefined>>): number {
  return isLong(name, env) ? 1_000_000 : (knownModel(apiName(name, env))?.contextWindow ?? 200_000);
}

/** What asks the API for the long window of a model that has a shorter one. */
export const longWindow = { "anthropic-beta": "context-1m-2025-08-07" };

function meant(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const short = name.replace(longMark, "");
  const alias = Object.hasOwn(aliases, short) ? aliases[short] : undefined;
  return alias === undefined ? name : (env[alias.variable] ?? alias.model);
}

const longMark = /\[1m\]$/;

const aliases: Readonly<Record<string, { readonly variable: string; readonly model: string }>> = {
  haiku: { variable: "ANTHROPIC_DEFAULT_HAIKU_MODEL", model: "claude-haiku-5-5" },
  sonnet: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: "claude-sonnet-5-5" },
  default: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: defaultModel },
  opus: { variable: "ANTHROPIC_DEFAULT_OPUS_MODEL", model: "claude-opus-5-5" },
};
