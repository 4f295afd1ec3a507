import { join, resolve } from "node:path";
import { clientHome, managedFiles, managedFolder, readValue, realPath, valueIn } from "../engine/settings/index.ts";
import { isObject } from "../protocol/index.ts";
import type { AgentOptions } from "./options.ts";

/** What one settings file says, and whether it belongs to the checkout. */
export interface SettingsAt {
  readonly file: string;
  readonly source: "managed" | "flag" | "local" | "project" | "user";
  readonly ofCheckout: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The settings files of a session that can be read, for keys that are the host's own: managed settings first (of several files the
 * last), then `--settings`, local, project and user settings. The engine reports files that cannot be read.
 */
export async function readSettingsPlaces(options: AgentOptions): Promise<readonly SettingsAt[]> {
  const found = await Promise.all(
    (await placesOf(options)).map(async ({ file, text, source }) => {
      const read = text === undefined ? await readValue(file) : valueIn(text);
      const value: unknown = read.is === "read" ? read.value : undefined;
      return isObject(value) ? [{ file, source, ofCheckout: source === "project" || source === "local", value }] : [];
    }),
  );
  return found.flat();
}

interface Place {
  readonly file: string;
  readonly text?: string;
  readonly source: SettingsAt["source"];
}

async function placesOf(options: AgentOptions): Promise<readonly Place[]> {
  const { cwd, env, home, settings = [], settingSources, managedFolder: managed } = options;
  const reads = (source: "user" | "project" | "local"): boolean => settingSources?.includes(source) ?? true;
  const given = settings.map(
    (one): Place =>
      one.trimStart().startsWith("{")
        ? { file: "--settings", text: one, source: "flag" }
        : { file: resolve(cwd, one), source: "flag" },
  );
  const own = join(cwd, ".claude");
  const project = join(own, "settings.json");
  const user = join(clientHome(env["CLAUDE_CONFIG_DIR"], home), "settings.json");
  // Where the start folder is the home folder, its settings are the user's and not a checkout's.
  const isUsers = reads("user") && (await realPath(project)) === (await realPath(user));
  const { files } = await managedFiles(managed ?? managedFolder(process.platform));
  return [
    ...files.toReversed().map((file): Place => ({ file, source: "managed" })),
    ...given.reverse(),
    ...(reads("local") ? [{ file: join(own, "settings.local.json"), source: "local" } as const] : []),
    ...(reads("project") && !isUsers ? [{ file: project, source: "project" } as const] : []),
    ...(reads("user") ? [{ file: user, source: "user" } as const] : []),
  ];
}
