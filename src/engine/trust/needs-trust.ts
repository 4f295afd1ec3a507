import type { Settings } from "../../protocol/index.ts";
import type { Layer } from "../layer.ts";

/** Keys of a checkout's settings that have no effect on anything but its own hooks until they are trusted. */
export type TrustedKey = Exclude<keyof Settings, "hooks" | keyof typeof neverOfCheckout>;

/** Keys that a checkout may not set at all; merging takes them out with a warning. */
const neverOfCheckout = {
  allowManagedHooksOnly: true,
  allowManagedPermissionRulesOnly: true,
  strictPluginOnlyCustomization: true,
  managedHooksOnFailure: true,
  httpHookAllowPrivate: true,
  onConflict: true,
  pluginConfigs: true,
} as const;

/** What each key that needs trust does once it has it. `hooks` are trusted one by one. */
export const trustedKeys: Readonly<Record<TrustedKey, string>> = {
  env: "gives its own hooks and the agent's commands these variables",
  statusLine: "runs this command for the status line",
  permissions: "grants these permissions",
  disableAllHooks: "switches off all hooks but managed ones",
  allowedHttpHookUrls: "narrows where any hook's requests may go",
  httpHookAllowedEnvVars: "narrows which variables any hook's headers may hold",
};

/** Whether a layer comes with the checkout, so that a stranger may have written it. */
export function isOfCheckout({ kind, frontmatter }: Layer): boolean {
  return kind === "project" || kind === "local" || frontmatter?.from === "project";
}
