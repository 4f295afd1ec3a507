import type { CommandHook, HookRef } from "../../../protocol/internal.ts";
import type { HookEvent } from "../../fire/fire.ts";
import type { AnyPayload } from "../../fire/payload.ts";
import type { ResolvedOptions } from "../../options.ts";
import type { ConfiguredHook, PluginRoot } from "../../settings/layer.ts";
import type { EffectiveSettings } from "../../settings/snapshot.ts";
import { isOfCheckout } from "../../trust/trust-state.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The host's environment as hooks inherit it: whole, but for the names that are stripped. Worked out once per snapshot. */
export function inheritedEnvironment(env: Environment, strip: readonly string[] = defaultStrip): Environment {
  const exact = new Set(strip.filter((name) => !name.endsWith("*")));
  const prefixes = strip.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !exact.has(name) && !prefixes.some((prefix) => name.startsWith(prefix))),
  );
}

/** Tracing set up for the agent must not make every hook report as the agent. */
const defaultStrip: readonly string[] = ["OTEL_*"];

/** The variables that every command hook of an event receives. */
export function eventVariables(hook: HookRef, payload: AnyPayload, depth: number): Record<string, string> {
  const level = (payload["effort"] as { level?: unknown } | undefined)?.level;
  return {
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: String(payload["session_id"]),
    HOOK_EVENT: hook.event,
    HOOK_NAME: hook.name,
    HOOKLINE_DEPTH: String(depth + 1),
    ...(typeof level === "string" ? { CLAUDE_EFFORT: level } : {}),
  };
}

/** The environment of a hook: what the host has, what settings add, and for the checkout's own hooks what the checkout adds. */
export function environmentOf(hook: ConfiguredHook, { settings, services }: HookEvent): Environment {
  return environmentUnder(settings, services.options, hook);
}

export function environmentUnder(
  settings: EffectiveSettings,
  options: ResolvedOptions,
  { layer }: ConfiguredHook,
): Environment {
  const { shared, checkout } = environmentsOf(settings, options);
  return isOfCheckout(layer) ? checkout : shared;
}

interface Environments {
  readonly shared: Environment;
  /** For the checkout's own hooks. */
  readonly checkout: Environment;
}

/** Built once per snapshot, not once per event. */
function environmentsOf(settings: EffectiveSettings, { env, stripEnv }: ResolvedOptions): Environments {
  const known = environments.get(settings);
  if (known !== undefined) return known;
  const inherited = inheritedEnvironment(env, stripEnv);
  const added = settings.merged.env;
  const built = { shared: { ...inherited, ...added }, checkout: { ...inherited, ...settings.checkoutEnv, ...added } };
  environments.set(settings, built);
  return built;
}

const environments = new WeakMap<EffectiveSettings, Environments>();

export interface Placeholders {
  readonly projectDir: string;
  readonly plugin: PluginRoot | undefined;
}

export type FilledCommand =
  | { readonly command: string; readonly args?: readonly string[] }
  | { readonly refused: string };

/**
 * Command and arguments with `${…}` filled in. In shell form a value that a shell could read as more than a word is not pasted: paths
 * are left to the shell to expand from the environment, options refuse the hook.
 */
export function fillPlaceholders({ command, args }: CommandHook, places: Placeholders): FilledCommand {
  if (args !== undefined) {
    const unset = [command, ...args].map((text) => unsetOption(text, places)).find((found) => found !== undefined);
    if (unset !== undefined) return { refused: unset };
    return { command: fill(command, places, pasted), args: args.map((arg) => fill(arg, places, pasted)) };
  }
  const refused = refusedOption(command, places);
  return refused === undefined ? { command: fill(command, places, pastedIfPlain) } : { refused };
}

/** The same values as variables, for scripts and for what was not pasted. */
export function placeholderVariables({ projectDir, plugin }: Placeholders): Record<string, string> {
  const variables: Record<string, string> = { CLAUDE_PROJECT_DIR: projectDir };
  if (plugin === undefined) return variables;
  variables["CLAUDE_PLUGIN_ROOT"] = plugin.root;
  if (plugin.data !== undefined) variables["CLAUDE_PLUGIN_DATA"] = plugin.data;
  for (const [key, value] of Object.entries(plugin.options ?? {})) variables[optionVariable(key)] = value;
  return variables;
}

function optionVariable(key: string): string {
  return `CLAUDE_PLUGIN_OPTION_${key.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
}

type Paste = (value: string, variable: string, exec: boolean) => string;

const pasted: Paste = (value) => value;
const pastedIfPlain: Paste = (value, written) => (isPlain(value) ? value : written);

/** One pass over the text: a value that itself holds `${…}` is never filled again. */
function fill(text: string, { projectDir, plugin }: Placeholders, paste: Paste): string {
  if (!text.includes("${")) return text;
  return text.replace(placeholder, (written: string, name: string) => {
    // The shell has the project folder in its environment; only a direct start needs it filled in.
    if (name === "CLAUDE_PROJECT_DIR") return paste === pasted ? projectDir : written;
    if (plugin === undefined) return written;
    if (name === "CLAUDE_PLUGIN_ROOT") return paste(plugin.root, written, false);
    if (name === "CLAUDE_PLUGIN_DATA") return plugin.data === undefined ? written : paste(plugin.data, written, false);
    return optionOf(plugin, name.slice("user_config.".length)) ?? written;
  });
}

const placeholder = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|user_config\.[A-Za-z0-9_.-]+)\}/g;

const optionName = /\$\{user_config\.([A-Za-z0-9_.-]+)\}/g;

/** Never what an object inherits: `constructor` is no option. */
function optionOf({ options = {} }: PluginRoot, key: string): string | undefined {
  return Object.hasOwn(options, key) ? options[key] : undefined;
}

/** A guard that receives a placeholder instead of a value would guard something else. */
function unsetOption(text: string, { plugin }: Placeholders): string | undefined {
  if (plugin === undefined) return undefined;
  for (const [written, key = ""] of text.matchAll(optionName)) {
    if (optionOf(plugin, key) === undefined) {
      return `${written} is not set; set it in pluginConfigs of your settings (sensitive options are kept where only Claude Code reads them)`;
    }
  }
  return undefined;
}

/** A shell takes what is left of such a placeholder for a syntax error, and its exit code would read as a block. */
function refusedOption(command: string, places: Placeholders): string | undefined {
  const { plugin } = places;
  if (plugin === undefined) return undefined;
  const unset = unsetOption(command, places);
  if (unset !== undefined) return unset;
  for (const [written, key = ""] of command.matchAll(optionName)) {
    const value = optionOf(plugin, key);
    if (value !== undefined && !isPlain(value)) {
      return `${written} holds characters a shell would read; use "$${optionVariable(key)}" instead`;
    }
  }
  return undefined;
}

function isPlain(value: string): boolean {
  return /^[A-Za-z0-9_@%+=:,./-]*$/.test(value);
}
