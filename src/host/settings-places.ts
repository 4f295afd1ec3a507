import { join, resolve } from "node:path";
import { clientHome, managedFiles, managedFolder, readValue, realPath, valueIn } from "../engine/settings/index.ts";
import { isObject } from "../protocol/index.ts";
import type { AgentOptions } from "./options.ts";

/** What one settings file says, and whether it belongs to the checkout. */
export interface SettingsAt {
  readonly file: string;
  readonly ofCheckout: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The settings files of a session that can be read, for keys that are the host's own: managed settings first (of several files the
 * last), then `--settings`, local, project and user settings. The engine reports files that cannot be read.
 */
export async function readSettingsPlaces(options: AgentOptions): Promise<readonly SettingsAt[]> {
  const found = await Promise.all(
    (await placesOf(options)).map(async ({ file, text, ofCheckout }) => {
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

async function placesOf(options: AgentOptions): Promise<readonly Place[]> {
  const { cwd, env, home, settings = [], settingSources, managedFolder: managed } = options;
  const reads = (source: "user" | "project" | "local"): boolean => settingSources?.includes(source) ?? true;
  const given = settings.map((one) =>
    one.trimStart().startsWith("{")
      ? { file: "--settings", text: one, ofCheckout: false }
      : { file: resolve(cwd, one), ofCheckout: false },
  );
  const own = join(cwd, ".claude");
  const project = join(own, "settings.json");
  const user = join(clientHome(env["CLAUDE_CONFIG_DIR"], home), "settings.json");
  // Where the start folder is the home folder, its settings are the user's and not a checkout's.
  const isUsers = reads("user") && (await realPath(project)) === (await realPath(user));
  const { files } = await managedFiles(managed ?? managedFolder(process.platform));
  return [
    ...files.toReversed().map((file) => ({ file, ofCheckout: false })),
    ...given.reverse(),
    ...(reads("local") ? [{ file: join(own, "settings.local.json"), ofCheckout: true }] : []),
    ...(reads("project") && !isUsers ? [{ file: project, ofCheckout: true }] : []),
    ...(reads("user") ? [{ file: user, ofCheckout: false }] : []),
  ];
}
