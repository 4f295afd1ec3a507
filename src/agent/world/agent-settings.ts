import { join, resolve } from "node:path";
import {
  clientHome,
  loadLayers,
  lockedSurfaces,
  managedFiles,
  managedFolder,
  readValue,
  realPathOrNone,
  valueIn,
} from "../../engine/internal.ts";
import { isObject } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";

/** What one settings file says, and whether it belongs to the checkout. */
export interface SettingsFile {
  readonly file: string;
  readonly source: "managed" | "flag" | "local" | "project" | "user";
  readonly ofCheckout: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The settings files of a session that can be read, for keys that are the host's own: managed settings first (of several files the
 * last), then `--settings`, local, project and user settings. The engine reports files that cannot be read.
 */
export async function readSettingsFiles(options: AgentOptions): Promise<readonly SettingsFile[]> {
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
  readonly source: SettingsFile["source"];
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
  const isUsers = reads("user") && (await realPathOrNone(project)) === (await realPathOrNone(user));
  const { files } = await managedFiles(managed ?? managedFolder(process.platform));
  return [
    ...files.toReversed().map((file): Place => ({ file, source: "managed" })),
    ...given.reverse(),
    ...(reads("local") ? [{ file: join(own, "settings.local.json"), source: "local" } as const] : []),
    ...(reads("project") && !isUsers ? [{ file: project, source: "project" } as const] : []),
    ...(reads("user") ? [{ file: user, source: "user" } as const] : []),
  ];
}

/**
 * Keys of the client's settings that this agent does not honor, a sentence for each file that has some: what guards by them does not
 * guard here, and what chooses by them is chosen by an option.
 */
export async function unsupportedSettings(options: AgentOptions): Promise<readonly string[]> {
  const places = await readSettingsFiles(options);
  return places.flatMap(({ file, source, value }) => {
    const found = keys.filter(({ key, counts, option, ofPolicy = false }) => {
      if (ofPolicy && source !== "managed") return false;
      if (option !== undefined && options[option] !== undefined) return false;
      return Object.hasOwn(value, key) && counts(value[key]);
    });
    if (found.length === 0) return [];
    return [`${file}: this agent does not honor ${found.map(({ key, means }) => `${key} (${means})`).join(", ")}.`];
  });
}

interface UnhonoredKey {
  readonly key: string;
  /** What it means that the key is not honored, or what to use. */
  readonly means: string;
  /** Whether this value asks for anything. */
  readonly counts: (value: unknown) => boolean;
  /** The client reads the key in managed settings alone. */
  readonly ofPolicy?: boolean;
  /** With this option the key has no say in any agent. */
  readonly option?: keyof AgentOptions;
}

const isSet = (value: unknown): boolean => value !== null && value !== "";

const keys: readonly UnhonoredKey[] = [
  {
    key: "enabledPlugins",
    means: "hooks of these plugins do not run: use --plugin-dir",
    counts: (value) => isObject(value) && Object.values(value).some((one) => one !== false),
  },
  {
    key: "sandbox",
    means: "commands run without a sandbox",
    counts: (value) => isObject(value) && value["enabled"] === true,
  },
  { key: "availableModels", means: "any model can be chosen", counts: isSet },
  { key: "deniedModels", means: "any model can be chosen", counts: isSet },
  { key: "maxEffortLevel", means: "any effort can be chosen", counts: isSet },
  { key: "allowedProviders", means: "any provider can be used", counts: isSet, ofPolicy: true },
  {
    key: "disableSideloadFlags",
    means: "--plugin-dir, --subagents and --mcp-config work",
    counts: (value) => value === true,
    ofPolicy: true,
  },
  { key: "managedMcpServers", means: "use managed-mcp.json", counts: isSet, ofPolicy: true },
  { key: "claudeMd", means: "the model does not get it", counts: isSet, ofPolicy: true },
  {
    key: "autoMode",
    means: "the classifier of the mode auto does not get these rules",
    counts: (value) => isObject(value) && Object.keys(value).length > 0,
  },
  { key: "claudeMdExcludes", means: "these files are read too", counts: isSet },
  { key: "apiKeyHelper", means: "use ANTHROPIC_API_KEY", counts: isSet },
  { key: "modelOverrides", means: "models are asked for by their own names", counts: isSet },
  { key: "fallbackModel", means: "use --fallback-model", counts: isSet, option: "fallbackModel" },
  { key: "agent", means: "use --subagent", counts: isSet, option: "subagent" },
  { key: "effortLevel", means: "use --effort", counts: isSet, option: "effort" },
  {
    key: "alwaysThinkingEnabled",
    means: "use --thinking adaptive",
    counts: (value) => value === true,
    option: "maxThinkingTokens",
  },
  { key: "autoCompactEnabled", means: "use --compact-at", counts: (value) => value === false },
];

/** What a folder or a person can add to the agent beside hooks and settings. Skills stand for commands too. */
export type CustomizationKind = "skills" | "agents" | "mcp";

/** Where it can come from; `flag` is the command line. */
export type CustomizationSource = "user" | "project" | "local" | "flag";

/** Whether what a source adds is used. */
export type SourceFilter = (surface: CustomizationKind, source: CustomizationSource) => boolean;

/** By `settingSources` alone. */
export function readsOf(sources: AgentOptions["settingSources"]): SourceFilter {
  return (_, source) => source === "flag" || (sources?.includes(source) ?? true);
}

/**
 * By `settingSources` and by `strictPluginOnlyCustomization` of managed settings: a surface that it locks is left to plugins, whatever
 * source adds to it. What is locked is reported once.
 */
export async function readCustomization(options: AgentOptions, warn: (text: string) => void): Promise<SourceFilter> {
  const { cwd, env, home, managedFolder: managed } = options;
  const layers = await loadLayers({
    cwd,
    clientHome: clientHome(env["CLAUDE_CONFIG_DIR"], home),
    managedFolder: managed ?? managedFolder(process.platform),
    settingSources: [],
  });
  const locked = new Set(lockedSurfaces(layers));
  const names = surfaces.filter(({ surface }) => locked.has(surface)).map(({ name }) => name);
  if (names.length > 0)
    warn(`Managed settings leave ${names.join(", ")} to plugins (strictPluginOnlyCustomization): others are not used.`);
  const bySource = readsOf(options.settingSources);
  return (surface, source) => !locked.has(surface) && bySource(surface, source);
}

const surfaces: readonly { readonly surface: CustomizationKind; readonly name: string }[] = [
  { surface: "skills", name: "commands and skills" },
  { surface: "agents", name: "agents" },
  { surface: "mcp", name: "MCP servers" },
];
