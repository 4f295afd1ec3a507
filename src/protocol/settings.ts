import type { FieldsOf } from "./field.ts";
import type { HookGroup } from "./hook.ts";

/** Where settings come from, in configured order. */
export const layerKinds = [
  "managed",
  "user",
  "project",
  "local",
  "flag",
  "plugin",
  "skill",
  "agent",
  "session",
  "callback",
] as const;
/** Where a layer of settings comes from. */
export type LayerKind = (typeof layerKinds)[number];

/** A settings file as far as Hookline reads it; unknown keys are kept and ignored. */
export interface Settings {
  /** Groups of hooks, by event. */
  readonly hooks?: Readonly<Record<string, readonly HookGroup[]>>;
  /** Variables for hooks and tools. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command that prints the status line. */
  readonly statusLine?: StatusLineSetting;
  /** Permission rules and what belongs to them. */
  readonly permissions?: PermissionSettings;
  /** Turns all hooks off. */
  readonly disableAllHooks?: boolean;
  /** Runs only hooks of managed settings. Counts in managed settings. */
  readonly allowManagedHooksOnly?: boolean;
  /** Where the client has it; below `permissions` it means the same. */
  readonly allowManagedPermissionRulesOnly?: boolean;
  /** `true` locks all surfaces; a list locks those it names: `skills`, `agents`, `hooks`, `mcp`. */
  readonly strictPluginOnlyCustomization?: boolean | readonly string[];
  /** Values for the options of plugins, by the plugin's id. */
  readonly pluginConfigs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** URL patterns that http hooks may call. */
  readonly allowedHttpHookUrls?: readonly string[];
  /** Variables that headers of http hooks may use. */
  readonly httpHookAllowedEnvVars?: readonly string[];
  /** Lets http hooks call private addresses. */
  readonly httpHookAllowPrivate?: boolean | readonly string[];
  /** What a failed managed hook means. */
  readonly managedHooksOnFailure?: "continue" | "block";
  /** What two different rewrites of one input mean. */
  readonly onConflict?: "last" | "ask" | "deny";
}

/** The key `statusLine` of a settings file. */
export interface StatusLineSetting {
  readonly type: "command";
  readonly command: string;
  readonly padding?: number;
}

/** The key `permissions` of a settings file. */
export interface PermissionSettings {
  /** Rules that allow a call without asking. */
  readonly allow?: readonly string[];
  /** Rules that always ask the user. */
  readonly ask?: readonly string[];
  /** Rules that deny a call. */
  readonly deny?: readonly string[];
  /** The permission mode of a new session. */
  readonly defaultMode?: string;
  /** Further working directories. */
  readonly additionalDirectories?: readonly string[];
  /** `"disable"` turns the mode `bypassPermissions` off. */
  readonly disableBypassPermissionsMode?: string;
  /** `"disable"` turns the mode `auto` off. */
  readonly disableAutoMode?: string;
  /** File tools may not read outside the working directories; shell commands that do are asked about. */
  readonly blockReadsOutsideWorkingDirectories?: boolean;
  /** File tools may not write outside the working directories, nor to settings files. */
  readonly blockWritesOutsideWorkingDirectories?: boolean;
  /** Absolute paths that may be read anyway; counts in `--settings` only. */
  readonly blockReadsExemptPaths?: readonly string[];
  /** A call that would be asked about is denied. */
  readonly denyInsteadOfPrompting?: boolean;
  /** Not honored: reported by a warning. */
  readonly workingDirectoriesAsGiven?: readonly string[];
  /** Only rules of managed settings count. Counts in managed settings. */
  readonly allowManagedPermissionRulesOnly?: boolean;
}

const texts = { is: "list", of: { is: "text" }, optional: true } as const;
const flag = { is: "flag", optional: true } as const;

const statusLine: FieldsOf<StatusLineSetting> = {
  type: { is: "text", of: ["command"] },
  command: { is: "text" },
  padding: { is: "number", optional: true },
};

const permissions: FieldsOf<PermissionSettings> = {
  allow: texts,
  ask: texts,
  deny: texts,
  defaultMode: { is: "text", optional: true },
  additionalDirectories: texts,
  disableBypassPermissionsMode: { is: "text", of: ["disable"], optional: true },
  disableAutoMode: { is: "text", of: ["disable"], optional: true },
  blockReadsOutsideWorkingDirectories: flag,
  blockWritesOutsideWorkingDirectories: flag,
  blockReadsExemptPaths: texts,
  denyInsteadOfPrompting: flag,
  workingDirectoriesAsGiven: texts,
  allowManagedPermissionRulesOnly: flag,
};

/** The keys of a settings file that Hookline reads, with what they may hold; other keys are kept and ignored. */
export const settingsFields: FieldsOf<Settings> = {
  hooks: { is: "object", values: { is: "list", of: { is: "object" } }, optional: true },
  env: { is: "object", values: { is: "text" }, optional: true },
  statusLine: { is: "object", fields: { ...statusLine }, optional: true },
  permissions: { is: "object", fields: { ...permissions }, optional: true },
  disableAllHooks: flag,
  allowManagedHooksOnly: flag,
  allowManagedPermissionRulesOnly: flag,
  strictPluginOnlyCustomization: {
    is: "either",
    of: [{ is: "flag" }, { is: "list", of: { is: "text" } }],
    optional: true,
  },
  pluginConfigs: { is: "object", values: { is: "object" }, optional: true },
  allowedHttpHookUrls: texts,
  httpHookAllowedEnvVars: texts,
  httpHookAllowPrivate: { is: "either", of: [{ is: "flag" }, { is: "list", of: { is: "text" } }], optional: true },
  managedHooksOnFailure: { is: "text", of: ["continue", "block"], optional: true },
  onConflict: { is: "text", of: ["last", "ask", "deny"], optional: true },
};
