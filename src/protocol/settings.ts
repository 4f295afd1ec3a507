import type { ValuesOf } from "./field.ts";
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

const text = { is: "text", optional: true } as const;
const texts = { is: "list", of: { is: "text" }, optional: true } as const;
const flag = { is: "flag", optional: true } as const;
const flagOrTexts = {
  is: "either",
  of: [{ is: "flag" }, { is: "list", of: { is: "text" } }],
  optional: true,
} as const;

const statusLineFields = {
  type: { is: "text", of: ["command"] },
  /** Prints the line. */
  command: { is: "text" },
  /** Blanks at both sides. */
  padding: { is: "number", optional: true },
} as const;

const permissionFields = {
  /** Rules that allow a call without asking. */
  allow: texts,
  /** Rules that always ask the user. */
  ask: texts,
  /** Rules that deny a call. */
  deny: texts,
  /** The permission mode of a new session. */
  defaultMode: text,
  /** Further working directories. */
  additionalDirectories: texts,
  /** `"disable"` turns the mode `bypassPermissions` off. */
  disableBypassPermissionsMode: { is: "text", of: ["disable"], optional: true },
  /** `"disable"` turns the mode `auto` off. */
  disableAutoMode: { is: "text", of: ["disable"], optional: true },
  /** File tools may not read outside the working directories; shell commands that do are asked about. */
  blockReadsOutsideWorkingDirectories: flag,
  /** File tools may not write outside the working directories, nor to settings files. */
  blockWritesOutsideWorkingDirectories: flag,
  /** Absolute paths that may be read anyway; counts in `--settings` only. */
  blockReadsExemptPaths: texts,
  /** A call that would be asked about is denied. */
  denyInsteadOfPrompting: flag,
  /** Not honored: reported by a warning. */
  workingDirectoriesAsGiven: texts,
  /** Only rules of managed settings count. Counts in managed settings. */
  allowManagedPermissionRulesOnly: flag,
} as const;

/** The keys of a settings file that Hookline reads, with what they may hold; other keys are kept and ignored. */
export const settingsFields = {
  hooks: { is: "object", values: { is: "list", of: { is: "object" } }, optional: true },
  /** Variables for hooks and tools. */
  env: { is: "object", values: { is: "text" }, optional: true },
  /** The command that prints the status line. */
  statusLine: { is: "object", fields: statusLineFields, optional: true },
  /** Permission rules and what belongs to them. */
  permissions: { is: "object", fields: permissionFields, optional: true },
  /** Turns all hooks off. */
  disableAllHooks: flag,
  /** Runs only hooks of managed settings. Counts in managed settings. */
  allowManagedHooksOnly: flag,
  /** Where Claude Code has it; below `permissions` it means the same. */
  allowManagedPermissionRulesOnly: flag,
  /** `true` locks all surfaces; a list locks those it names: `skills`, `agents`, `hooks`, `mcp`. */
  strictPluginOnlyCustomization: flagOrTexts,
  /** Values for the options of plugins, by the plugin's id. */
  pluginConfigs: { is: "object", values: { is: "object" }, optional: true },
  /** URL patterns that http hooks may call. */
  allowedHttpHookUrls: texts,
  /** Variables that headers of http hooks may use. */
  httpHookAllowedEnvVars: texts,
  /** Lets http hooks call private addresses. */
  httpHookAllowPrivate: flagOrTexts,
  /** What a failed managed hook means. */
  managedHooksOnFailure: { is: "text", of: ["continue", "block"], optional: true },
  /** What two different rewrites of one input mean. */
  onConflict: { is: "text", of: ["last", "ask", "deny"], optional: true },
} as const;

/** A settings file as far as Hookline reads it; unknown keys are kept and ignored. */
export interface Settings extends Omit<ValuesOf<typeof settingsFields>, "hooks"> {
  /** Groups of hooks, by event. */
  readonly hooks?: Readonly<Record<string, readonly HookGroup[]>>;
}

/** The key `statusLine` of a settings file. */
export interface StatusLineSetting extends ValuesOf<typeof statusLineFields> {}

/** The key `permissions` of a settings file. */
export interface PermissionSettings extends ValuesOf<typeof permissionFields> {}
