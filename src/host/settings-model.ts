import { namesProvider } from "./agents/definitions.ts";
import type { AgentOptions } from "./options.ts";
import { readSettingsPlaces } from "./settings-places.ts";

/**
 * The model that settings name. A checkout may choose a model of the Anthropic API but not who answers: `openai:` and `scripted:` are
 * the user's choice.
 */
export async function settingsModel(options: AgentOptions, tell: (text: string) => void): Promise<string | undefined> {
  if (options.modelFromSettings !== true) return undefined;
  for (const { file, ofCheckout, value } of await readSettingsPlaces(options)) {
    const { model } = value;
    if (model === undefined) continue;
    if (typeof model !== "string" || model.trim() === "")
      tell(`${file}: "model" must be a model's name; it is ignored.`);
    else if (ofCheckout && namesProvider(model))
      tell(
        `${file}: "model" is ${model}, which a project may not choose. Pass --model, or set it in your user settings.`,
      );
    else return model;
  }
  return undefined;
}
