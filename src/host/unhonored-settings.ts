import { isObject } from "../protocol/index.ts";
import type { AgentOptions } from "./options.ts";
import { readSettingsPlaces } from "./settings-places.ts";

/**
 * Keys of the client's settings that this agent does not honor, a sentence for each file that has some: what guards by them does not
 * guard here, and what chooses by them is chosen by an option.
 */
export async function unhonoredSettings(options: AgentOptions): Promise<readonly string[]> {
  const places = await readSettingsPlaces(options);
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
  { key: "agent", means: "use --subagent", counts: isSet, option: "agent" },
  { key: "effortLevel", means: "use --effort", counts: isSet, option: "effort" },
  {
    key: "alwaysThinkingEnabled",
    means: "use --thinking adaptive",
    counts: (value) => value === true,
    option: "maxThinkingTokens",
  },
  { key: "autoCompactEnabled", means: "use --compact-at", counts: (value) => value === false },
];
