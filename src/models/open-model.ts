import { Problem } from "../protocol/internal.ts";
import type { Model } from "./model.ts";

/**
 * Opens the model that a `--model` text names. Each port, and the package it needs, is loaded only when it is named. `say` gets a sentence
 * for the user, once for each feature that the model's API does not support.
 */
export async function openModel(
  name: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  say?: (sentence: string) => void,
): Promise<Model> {
  const parsed = parseModelName(name);
  if (parsed.port === "scripted") return (await import("./scripted/scripted.ts")).scripted(parsed.file);
  if (parsed.port === "openai") {
    const { openaiCompatible } = await import("./openai/openai-compatible.ts");
    const onUnsupported = (what: string): void => say?.(`${name}: this API does not support ${what}; it is left out.`);
    return openaiCompatible({ model: parsed.model, env, onUnsupported });
  }
  return (await import("./anthropic/anthropic.ts")).anthropic({ model: parsed.model, env });
}

/** The parts of a `--model` text: a script, a model behind an OpenAI-compatible API, or else a name the Anthropic API knows. */
export type ParsedModelName =
  | { readonly port: "scripted"; readonly file: string }
  | { readonly port: "openai"; readonly model: string }
  | { readonly port: "anthropic"; readonly model: string };

export function parseModelName(name: string): ParsedModelName {
  const pattern = /^(?:(scripted|openai|anthropic):)?(.*)$/s;
  const [, port = "anthropic", rest = ""] = typeof name === "string" ? (pattern.exec(name.trim()) ?? []) : [];
  if (rest === "") {
    const given = typeof name === "string" ? `"${name}"` : String(name);
    const message = `${given} names no model. Write a model's name, openai:NAME, or scripted:FILE for a script.`;
    throw new Problem("models/bad-name", message, { about: { name } });
  }
  if (port === "scripted") return { port, file: rest };
  return { port: port === "openai" ? "openai" : "anthropic", model: rest };
}

/** The variables that hold keys of the model providers that the ports of this module talk to. */
export const providerKeys: readonly string[] = [
  ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  "OPENAI_API_KEY",
];
