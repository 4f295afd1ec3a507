import type { FieldsOf } from "./field.ts";
import type { PermissionSettings, Settings, StatusLineSetting } from "./settings.ts";

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
