import type { Model } from "./model.ts";
import { parseModelName } from "./model-name.ts";

/** The model that `--model` names. Each port, and the package it needs, is loaded only when it is named. */
export async function openModel(
  name: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Model> {
  const parsed = parseModelName(name);
  if (parsed.port === "scripted") return (await import("./scripted/scripted.ts")).scripted(parsed.file);
  if (parsed.port === "openai") {
    const { openaiCompatible } = await import("./openai/openai-compatible.ts");
    return openaiCompatible({ model: parsed.model, env });
  }
  return (await import("./anthropic/anthropic.ts")).anthropic({ model: parsed.model, env });
}
