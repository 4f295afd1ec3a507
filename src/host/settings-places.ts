import { join, resolve } from "node:path";
import { clientHome, managedFolder, readValue, valueIn } from "../engine/settings/index.ts";
import { isObject } from "../protocol/index.ts";
import type { AgentOptions } from "./options.ts";

/** What one settings file says, and whether it belongs to the checkout. */
export interface SettingsAt {
  readonly file: string;
  readonly ofCheckout: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The settings files of a session that can be read, for keys that are the host's own: managed settings first, then `--settings`, local,
 * project and user settings. The engine reports files that cannot be read.
 */
export async function readSettingsPlaces(options: AgentOptions): Promise<readonly SettingsAt[]> {
  const found = await Promise.all(
    placesOf(options).map(async ({ file, text, ofCheckout }) => {
      const read = text === undefined ? await readValue(file) : valueIn(text);
      const value: unknown = read.is === "read" ? read.value : undefined;
      return isObject(value) ? [{ file, ofCheckout, value }] : [];
    }),
  );
  return found.flat();
}

interface Place {
  readonly file: string;
  readonly text?: string;
  readonly ofCheckout: boolean;
}

function placesOf(options: AgentOptions): readonly Place[] {
  const { cwd, env, home, settings = [], settingSources, managedFolder: managed } = options;
  const reads = (source: "user" | "project" | "local", file: string, ofCheckout: boolean): readonly Place[] =>
    (settingSources?.includes(source) ?? true) ? [{ file, ofCheckout }] : [];
  const own = join(cwd, ".claude");
  const given = settings.map((one) =>
    one.trimStart().startsWith("{")
      ? { file: "--settings", text: one, ofCheckout: false }
      : { file: resolve(cwd, one), ofCheckout: false },
  );
  return [
    { file: join(managed ?? managedFolder(process.platform), "managed-settings.json"), ofCheckout: false },
    ...given.reverse(),
    ...reads("local", join(own, "settings.local.json"), true),
    ...reads("project", join(own, "settings.json"), true),
    ...reads("user", join(clientHome(env["CLAUDE_CONFIG_DIR"], home), "settings.json"), false),
  ];
}
