import type { Model } from "./model.ts";
import { parseModelName } from "./model-name.ts";

/**
 * The model that `--model` names. Each port, and the package it needs, is loaded only when it is named. `say` is given a sentence for
 * the person, once for each thing that the model's API has no words for.
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
    const onLeftOut = (what: string): void => say?.(`${name}: this API knows no ${what}; it is left out.`);
    return openaiCompatible({ model: parsed.model, env, onLeftOut });
  }
  return (await import("./anthropic/anthropic.ts")).anthropic({ model: parsed.model, env });
}
