import type { EventRow, FailurePolicy, Hook, HookRef, LayerKind, Settings, Warning } from "../../protocol/internal.ts";
import type { HookCondition } from "../match/conditions.ts";
import type { Matcher } from "../match/matcher.ts";
import { nameOf } from "./read-layer.ts";

/** One source of settings, read and checked: what cannot be used is a warning beside what can. */
export interface Layer {
  readonly kind: LayerKind;
  /** The file it was read from; session hooks and callbacks have none. */
  readonly file?: string;
  /** Hooks of one plugin or skill never count as duplicates of another's. */
  readonly plugin?: PluginRoot;
  readonly frontmatter?: FrontmatterOrigin;
  readonly settings: Settings;
  /** False when the file exists but could not be used at all. */
  readonly readable: boolean;
  /** Events of which an entry could not be used. */
  readonly damaged?: readonly string[];
  readonly warnings: readonly Warning[];
  /** Hash of the bytes read; equal content, equal hash. */
  readonly contentHash: string;
}

/** The folder a plugin's hooks are written against, and what they may know of its configuration. */
export interface PluginRoot {
  readonly root: string;
  readonly data?: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** Whose hooks these are, and whether they are the user's or the checkout's. */
export interface FrontmatterOrigin {
  readonly of: "agent" | "skill";
  readonly name: string;
  readonly from: "user" | "project";
}

/** One hook of one event as the snapshot holds it: everything that can be worked out before an event fires. */
export interface ConfiguredHook {
  readonly ref: HookRef;
  readonly hook: Hook;
  readonly row: EventRow;
  readonly layer: Layer;
  /** Place in configured order among the event's hooks. */
  readonly order: number;
  /** Hooks of one group share this; `sequential` ones run one after another. */
  readonly group: { readonly key: string; readonly sequential: boolean };
  readonly matcher: Matcher;
  /** `null`: none. `never`: it cannot be read, so it never holds. */
  readonly condition: HookCondition | "never" | null;
  readonly onFailure: FailurePolicy;
  /** What loading had to say about it. */
  readonly problems: readonly Warning[];
}

/** It runs here, as a function of the host: no process, no request, nothing to wait for a place. */
export function isInProcess({ type }: Hook): boolean {
  return type === "callback" || type === "function";
}

/** Nobody is to wait for it. */
export function isBackground(hook: Hook): boolean {
  return hook.type === "command" && (hook.async === true || hook.asyncRewake === true);
}

/** Hooks of skills and sessions may run once; elsewhere `once` has no effect. */
export function honorsOnce(source: ConfiguredHook["layer"]["kind"]): boolean {
  return source === "skill" || source === "session";
}

/** Whether a hook of the event can keep a tool call from running. */
export function guardsToolCalls({ special, onFailure, blocks }: EventRow): boolean {
  return special.onTool === true && onFailure === "guard" && blocks !== null;
}

/** Layers whose hooks do not run, and the policy that locks them. */
export interface PluginsOnly {
  readonly layer: Layer;
  readonly locked: readonly LayerKind[];
}

/** What each surface that `strictPluginOnlyCustomization` can lock takes away; MCP servers bring no hooks. */
const surfaces: Readonly<Record<string, readonly LayerKind[]>> = {
  hooks: ["user", "project", "local", "flag", "skill", "agent"],
  skills: ["skill"],
  agents: ["agent"],
  mcp: [],
};

/** What managed settings lock, all of them together. */
export function pluginsOnly(layers: readonly Layer[]): PluginsOnly | undefined {
  const saying = layers.filter(({ kind, settings }) => kind === "managed" && locksOf(settings).length > 0);
  const [layer] = saying;
  return layer && { layer, locked: [...new Set(saying.flatMap(({ settings }) => locksOf(settings)))] };
}

/** The surfaces that managed settings leave to plugins, by name. */
export function lockedSurfaces(layers: readonly Layer[]): readonly string[] {
  return layers.filter(({ kind }) => kind === "managed").flatMap(({ settings }) => namesOf(settings));
}

/** The layers whose hooks a policy takes away. */
export function locksOf(settings: Settings): readonly LayerKind[] {
  return namesOf(settings).flatMap((name) => (Object.hasOwn(surfaces, name) ? (surfaces[name] ?? []) : []));
}

function namesOf({ strictPluginOnlyCustomization: value }: Settings): readonly string[] {
  return value === true ? Object.keys(surfaces) : value === false || value === undefined ? [] : value;
}

/** A name with a typo must not look like a lock. */
export function unknownSurfaces(layer: Layer): readonly Warning[] {
  const { strictPluginOnlyCustomization: names } = layer.settings;
  if (typeof names !== "object") return [];
  const [file, at] = [nameOf(layer), "strictPluginOnlyCustomization"];
  const known = Object.keys(surfaces);
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      code: "settings-invalid",
      message: `${at} in ${file} lists ${JSON.stringify(name)}, which is not one of ${known.join(", ")}. That entry locks nothing.`,
      place: `${file}: ${at}`,
    }));
}

/** The variables a checkout may give its own hooks: none that changes how programs load or where they connect. */
export function checkoutEnv(layers: readonly Layer[]): {
  readonly env: Readonly<Record<string, string>>;
  readonly warnings: readonly Warning[];
} {
  const env: Record<string, string> = Object.create(null);
  const warnings: Warning[] = [];
  for (const layer of layers.filter(({ kind }) => kind === "project" || kind === "local")) {
    for (const [name, value] of Object.entries(layer.settings.env ?? {})) {
      if (isGuarded(name)) warnings.push(ignored(name, layer));
      else env[name] = value;
    }
  }
  return { env, warnings };
}

function ignored(name: string, layer: Layer): Warning {
  return {
    code: "env-ignored",
    message: `env.${name} in ${nameOf(layer)} is ignored in Hookline's hosts: ${layer.kind} settings may not change how programs load, where they connect or whether hooks run. Claude Code may pass it to hooks.`,
    place: `${nameOf(layer)}: env.${name}`,
  };
}

/** Variables that change what programs load or start, where they look for it, or where they connect; and HOOKLINE, which switches hooks off. */
const guarded: readonly RegExp[] = [
  /^(?:PATH|PATHEXT|COMSPEC|HOME|USERPROFILE|PWD|OLDPWD|CDPATH|ENV|SHELL|ZDOTDIR|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|XDG_.*)$/,
  /^BASH_(?:ENV|FUNC_.*|LOADABLES_PATH)$/,
  /^(?:LD|DYLD|HOOKLINE|NPM_CONFIG|BUN|DENO)_|^HOOKLINE$/,
  /^CLAUDE_(?:PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA|ENV_FILE|CONFIG_DIR)$/,
  /^NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|REPL_EXTERNAL_MODULE)$/,
  /^(?:PYTHON(?:PATH|HOME|STARTUP|USERBASE|BREAKPOINT|PYCACHEPREFIX)|PERL(?:5?LIB|5OPT|5DB)|RUBY(?:LIB|OPT)|LUA_(?:INIT|PATH|CPATH).*)$/,
  /^(?:CLASSPATH|_?JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|DOTNET_STARTUP_HOOKS|PHPRC|PHP_INI_SCAN_DIR)$/,
  /^(?:GNU)?MAKE(?:FLAGS|FILES)$|^(?:AWKPATH|RUSTC_WRAPPER|GOFLAGS|GCONV_PATH|OPENSSL_CONF|OPENSSL_MODULES|PSMODULEPATH)$/,
  /^GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|CONFIG.*|DIR|TEMPLATE_DIR|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)$/,
  /^(?:EDITOR|VISUAL|PAGER|LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS|BROWSER)$/,
  /^(?:SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|CURL_HOME)$/,
  /_(?:PROXY|BASE_URL|INDEX_URL)$/,
];

/** Whatever the letter case: `http_proxy` is read in small letters. */
export function isGuarded(name: string): boolean {
  const upper = name.toUpperCase();
  return guarded.some((pattern) => pattern.test(upper));
}
