import type { Settings, Warning } from "../../protocol/internal.ts";
import type { ConfiguredHook, Layer } from "../settings/layer.ts";
import type { WrittenGrant } from "./pins.ts";
import type { SeenFiles } from "./start-trust.ts";

/** `new`: it was not approved. `changed`: something else was approved at its place. */
export type TrustState = "trusted" | "new" | "changed";

export interface TrustStatus {
  readonly state: TrustState;
  /** What is missing, in words; empty when nothing is. */
  readonly detail: string;
}

/** How a hook stands, with the files that were compared for it: for those who are about to start the command. */
export interface HookTrustStatus extends TrustStatus {
  readonly seen?: SeenFiles;
}

/**
 * Whether something may have an effect as far as trust goes. The one place that is asked: for every event, for the status line, for
 * every key of a checkout's settings.
 */
export interface Trust {
  /**
   * Contract: of a hook that comes with the checkout, the files it names are looked at now. `cwd` is the folder it would run in;
   * without one, the checkout's own.
   */
  ofHook(hook: ConfiguredHook, cwd?: string): HookTrustStatus;
  ofKey(layer: Layer, key: TrustedKey): HookTrustStatus;
  /** Of anything that needs trust, by its id. */
  ofPinnable(id: string): TrustStatus;
  /** Grants that count although their block is not trusted: they were approved when they were written. */
  writtenGrants(layer: Layer): readonly WrittenGrant[];
  /** Whether anything here depends on an approval. */
  readonly depends: boolean;
  /** What the user can do about it. */
  readonly howToApprove: string;
  /** The files approvals are kept in, whether they are there yet or not. */
  readonly files: readonly string[];
  /** What the user should know about it. */
  readonly warnings: readonly Warning[];
}

export const trusted: TrustStatus = { state: "trusted", detail: "" };

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

export const notApproved: TrustStatus = { state: "new", detail: "it has not been approved yet" };

/** Trust in a folder lets its hooks run; it does not let the folder switch off those of others. That takes a pin of its own. */
export function disablesOtherHooks(layer: Layer, key: TrustedKey): boolean {
  return key === "disableAllHooks" && isOfCheckout(layer);
}

export const needsOwnPin: TrustStatus = {
  state: "new",
  detail: "only a pin of its own lets it reach hooks of other files",
};

/** Nothing is asked about: the host trusts every folder. */
export const trustEverything: Trust = {
  ofHook: () => trusted,
  ofKey: (layer, key) => (disablesOtherHooks(layer, key) ? needsOwnPin : trusted),
  ofPinnable: () => trusted,
  writtenGrants: () => [],
  depends: false,
  howToApprove: "",
  files: [],
  warnings: [],
};

/** Nothing is asked about: no layer comes with the checkout. `files` are those that would hold approvals. */
export function nothingToApprove(files: readonly string[]): Trust {
  return { ...trustEverything, ofPinnable: () => notApproved, howToApprove: howToApprove, files };
}

export const howToApprove = "hookline trust shows and approves it";
