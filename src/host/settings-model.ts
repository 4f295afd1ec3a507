import { join, resolve } from "node:path";
import { clientHome, managedFolder, readValue, valueIn } from "../engine/settings/index.ts";
import { namesProvider } from "./agents/definitions.ts";
import type { AgentOptions } from "./options.ts";

/**
 * The model that settings name: managed settings first, then `--settings`, local, project and user settings. A checkout may choose a
 * model of the Anthropic API but not who answers: `openai:` and `scripted:` are the user's choice.
 */
export async function settingsModel(options: AgentOptions, tell: (text: string) => void): Promise<string | undefined> {
  if (options.modelFromSettings !== true) return undefined;
  for (const { file, text, ofCheckout } of placesOf(options)) {
    const found = text === undefined ? await readValue(file) : valueIn(text);
    const model = found.is === "read" ? (found.value as { model?: unknown } | null)?.model : undefined;
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

interface Place {
  readonly file: string;
  readonly text?: string;
  readonly ofCheckout: boolean;
}

function placesOf({ cwd, env, home, settings = [], ...options }: AgentOptions): readonly Place[] {
  const own = join(cwd, ".claude");
  const isText = (given: string): boolean => given.trimStart().startsWith("{");
  const given = settings.map((one) =>
    isText(one) ? { file: "--settings", text: one, ofCheckout: false } : { file: resolve(cwd, one), ofCheckout: false },
  );
  return [
    {
      file: join(options.managedFolder ?? managedFolder(process.platform), "managed-settings.json"),
      ofCheckout: false,
    },
    ...given.reverse(),
    { file: join(own, "settings.local.json"), ofCheckout: true },
    { file: join(own, "settings.json"), ofCheckout: true },
    { file: join(clientHome(env["CLAUDE_CONFIG_DIR"], home), "settings.json"), ofCheckout: false },
  ];
}
