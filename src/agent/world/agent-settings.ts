import { join, resolve } from "node:path";
import {
  loadLayers,
  lockedSurfaces,
  managedFiles,
  managedFolder,
  readValue,
  realPathOrNone,
  valueIn,
} from "../../engine/internal.ts";
import { fieldOf, isObject } from "../../protocol/internal.ts";
import { type AgentOptions, customizationNames, readsOf, type SourceFilter } from "../agent-options.ts";

/** The content of one settings file. */
export interface SettingsFile {
  readonly file: string;
  readonly source: "managed" | "flag" | "local" | "project" | "user";
  /** Whether the file belongs to the checkout. */
  readonly ofCheckout: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The readable settings files of a session, for keys that only the agent uses: managed settings first (of several files the last), then
 * `--settings`, local, project and user settings. The engine reports files that cannot be read.
 */
export async function readSettingsFiles(options: AgentOptions): Promise<readonly SettingsFile[]> {
  const found = await Promise.all(
    (await settingsPlaces(options)).map(async ({ file, text, source }) => {
      const read = text === undefined ? await readValue(file) : valueIn(text);
      const value: unknown = read.is === "read" ? read.value : undefined;
      return isObject(value) ? [{ file, source, ofCheckout: source === "project" || source === "local", value }] : [];
    }),
  );
  return found.flat();
}

interface SettingsPlace extends Pick<SettingsFile, "file" | "source"> {
  /** The settings themselves, if the option is not a path. */
  readonly text?: string;
}

async function settingsPlaces(options: AgentOptions): Promise<readonly SettingsPlace[]> {
  const { cwd, configFolder, settings = [], settingSources, managedFolder: managed } = options;
  const folder = join(cwd, ".claude");
  const local = { file: join(folder, "settings.local.json"), source: "local" } as const;
  const project = { file: join(folder, "settings.json"), source: "project" } as const;
  const user = { file: join(configFolder, "settings.json"), source: "user" } as const;
  const read = [local, project, user].filter(({ source }) => settingSources?.includes(source) ?? true);
  // If the start folder is the home folder, its settings are the user's, not a checkout's.
  const isUsers = read.includes(user) && (await realPathOrNone(project.file)) === (await realPathOrNone(user.file));
  const given = settings.map(
    (one): SettingsPlace =>
      one.trimStart().startsWith("{")
        ? { file: "--settings", text: one, source: "flag" }
        : { file: resolve(cwd, one), source: "flag" },
  );
  const { files } = await managedFiles(managed ?? managedFolder(process.platform));
  return [
    ...files.toReversed().map((file): SettingsPlace => ({ file, source: "managed" })),
    ...given.reverse(),
    ...read.filter((place) => place !== project || !isUsers),
  ];
}

/** One sentence for each file with settings of Claude Code that this agent does not support, because they have no effect. */
export async function unsupportedSettings(options: AgentOptions): Promise<readonly string[]> {
  const files = await readSettingsFiles(options);
  return files.flatMap(({ file, source, value }) => {
    const found = Object.entries(unsupportedKeys).filter(([key, { counts = isSet, option, managedOnly = false }]) => {
      if (managedOnly && source !== "managed") return false;
      if (option !== undefined && options[option] !== undefined) return false;
      return Object.hasOwn(value, key) && counts(value[key]);
    });
    if (found.length === 0) return [];
    return [`${file}: this agent does not honor ${found.map(([key, { means }]) => `${key} (${means})`).join(", ")}.`];
  });
}

interface UnsupportedKey {
  /** The consequence, or what to use instead. */
  readonly means: string;
  /** Whether this value has an effect in Claude Code. Default: any value but null and an empty text. */
  readonly counts?: (value: unknown) => boolean;
  /** Claude Code reads the key in managed settings only. */
  readonly managedOnly?: true;
  /** With this option the key has no effect in Claude Code either. */
  readonly option?: keyof AgentOptions;
}

const isSet = (value: unknown): boolean => value !== null && value !== "";
const isTrue = (value: unknown): boolean => value === true;

const unsupportedKeys: Readonly<Record<string, UnsupportedKey>> = {
  enabledPlugins: {
    means: "hooks of these plugins do not run: use --plugin-dir",
    counts: (value) => isObject(value) && Object.values(value).some((one) => one !== false),
  },
  sandbox: { means: "commands run without a sandbox", counts: (value) => isTrue(fieldOf(value, "enabled")) },
  availableModels: { means: "any model can be chosen" },
  deniedModels: { means: "any model can be chosen" },
  maxEffortLevel: { means: "any effort can be chosen" },
  allowedProviders: { means: "any provider can be used", managedOnly: true },
  disableSideloadFlags: { means: "--plugin-dir, --subagents and --mcp-config work", counts: isTrue, managedOnly: true },
  managedMcpServers: { means: "use managed-mcp.json", managedOnly: true },
  claudeMd: { means: "the model does not get it", managedOnly: true },
  autoMode: {
    means: "the classifier of the mode auto does not get these rules",
    counts: (value) => isObject(value) && Object.keys(value).length > 0,
  },
  claudeMdExcludes: { means: "these files are read too" },
  apiKeyHelper: { means: "use ANTHROPIC_API_KEY" },
  modelOverrides: { means: "models are asked for by their own names" },
  fallbackModel: { means: "use --fallback-model", option: "fallbackModel" },
  agent: { means: "use --subagent", option: "subagent" },
  effortLevel: { means: "use --effort", option: "effort" },
  alwaysThinkingEnabled: { means: "use --thinking adaptive", counts: isTrue, option: "maxThinkingTokens" },
  autoCompactEnabled: { means: "use --compact-at", counts: (value) => value === false },
};

/**
 * The filter by `settingSources` and by `strictPluginOnlyCustomization` of managed settings: only plugins may add to a locked kind. Warns
 * about locked kinds.
 */
export async function readCustomization(options: AgentOptions, warn: (text: string) => void): Promise<SourceFilter> {
  const { cwd, configFolder, managedFolder: managed } = options;
  const layers = await loadLayers({
    cwd,
    claudeHome: configFolder,
    managedFolder: managed ?? managedFolder(process.platform),
    settingSources: [],
  });
  const locked = new Set<string>(lockedSurfaces(layers));
  const names = Object.entries(customizationNames).flatMap(([kind, name]) => (locked.has(kind) ? [name] : []));
  if (names.length > 0)
    warn(`Managed settings leave ${names.join(", ")} to plugins (strictPluginOnlyCustomization): others are not used.`);
  const bySource = readsOf(options.settingSources);
  return (kind, source) => !locked.has(kind) && bySource(kind, source);
}
