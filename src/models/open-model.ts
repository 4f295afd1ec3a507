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
  const { port, model } = parseModelName(name);
  if (port === "scripted") return (await import("./scripted/scripted.ts")).scripted(model);
  if (port === "openai") {
    const { openaiCompatible } = await import("./openai/openai-compatible.ts");
    const onUnsupported = (what: string): void => say?.(`${name}: this API does not support ${what}; it is skipped.`);
    return openaiCompatible({ model, env, onUnsupported });
  }
  return (await import("./anthropic/anthropic.ts")).anthropic({ model, env });
}

/** The parts of a `--model` text. The model is the file of a script, or a name that the API knows. */
export function parseModelName(name: string) {
  const pattern = /^(?:(scripted|openai|anthropic):)?(.*)$/s;
  const [, port, model = ""] = typeof name === "string" ? (pattern.exec(name.trim()) ?? []) : [];
  if (model === "") {
    const given = typeof name === "string" ? `"${name}"` : String(name);
    const message = `${given} names no model. Write a model's name, openai:NAME, or scripted:FILE for a script.`;
    throw new Problem("models/bad-name", message, { about: { name } });
  }
  return { port: port === "scripted" || port === "openai" ? port : "anthropic", model } as const;
}

/** The variables that hold keys of the model providers that the ports of this module talk to. */
export const providerKeys: readonly string[] = [
  ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  "OPENAI_API_KEY",
];
