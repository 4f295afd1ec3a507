import type {
  CallbackHook,
  EventRow,
  FailurePolicy,
  FunctionHook,
  Hook,
  HookRef,
  LayerKind,
  Settings,
  Skip,
  Warning,
} from "../../protocol/internal.ts";
import type { HookCondition } from "../match/conditions.ts";
import type { Matcher } from "../match/matcher.ts";
import { warningAt } from "./check-fields.ts";

/** One source of settings, read and checked. What cannot be used is a warning. */
export interface Layer {
  readonly kind: LayerKind;
  /** The file that it was read from; session hooks and callbacks have none. */
  readonly file?: string;
  /** Its position among the given settings, if there are several. */
  readonly index?: number;
  /** Hooks of one plugin or skill never count as duplicates of another's. */
  readonly plugin?: PluginRoot;
  readonly frontmatter?: FrontmatterOrigin;
  readonly settings: Settings;
  /** False when the file exists but could not be used at all. */
  readonly readable: boolean;
  /** Entries of `hooks` that cannot be used. */
  readonly unusable?: readonly UnusableEntry[];
  /** Events of which an entry could not be used. */
  readonly damaged?: readonly string[];
  readonly warnings: readonly Warning[];
  /** The hash of the bytes that were read. */
  readonly contentHash: string;
}

/** An entry of `hooks` that cannot be used: a group or a hook. */
export interface UnusableEntry {
  readonly event: string;
  /** Its number in the list of the event, as in `0` or `0.1`; empty for the list as a whole. */
  readonly number: string;
  /** Its path in the file. */
  readonly at: string;
  /** What the file contains there; empty when it is not an object. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly matcher: unknown;
  readonly why: string;
  /** It is where no hooks are read. Unless it denies, the key above it is reported and it is not listed. */
  readonly misplaced?: true;
  /** What it, its group or anything inside it says. */
  readonly onFailure: FailurePolicy | undefined;
  /** Whether it counts as a guard that fails: it says `onFailure: "block"` on an event where that denies. */
  readonly denies: boolean;
  readonly warning: Warning;
}

/** The folder of a plugin, and the part of its configuration that its hooks receive. */
export interface PluginRoot {
  readonly root: string;
  readonly data?: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** The agent or skill that contains the hooks, and whether it is the user's or the checkout's. */
export interface FrontmatterOrigin {
  readonly of: "agent" | "skill";
  readonly name: string;
  readonly from: "user" | "project";
}

/** One hook of one event, with everything that can be computed before an event fires. */
export interface ConfiguredHook {
  readonly ref: HookRef;
  readonly hook: Hook;
  readonly row: EventRow;
  readonly layer: Layer;
  /** Its position among the hooks of the event, in configured order. */
  readonly order: number;
  /** Hooks of one group share this; `sequential` ones run one after another. */
  readonly group: { readonly key: string; readonly sequential: boolean };
  readonly matcher: Matcher;
  /** `null`: none. `never`: it cannot be read, so it never holds. */
  readonly condition: HookCondition | "never" | null;
  readonly onFailure: FailurePolicy;
  /** This host does not wait for its answer. */
  readonly background: boolean;
  /** Why a guard cannot do its work. It is not started: it fails with this text, so it denies. */
  readonly fails?: string;
  /** The event in an agent's file, where it means another one: Stop there is SubagentStop here. */
  readonly writtenFor?: string;
  /** Warnings about it from loading. */
  readonly problems: readonly Warning[];
}

/** An entry that cannot be used, where hooks are listed. */
export interface UnusableHook extends Pick<ConfiguredHook, "ref" | "layer" | "problems"> {
  readonly skip: Skip;
}

/** The name of a layer in messages. */
export function nameOf({ kind, file, index }: Pick<Layer, "kind" | "file" | "index">): string {
  return file ?? (kind === "flag" ? `the given settings${index === undefined ? "" : `[${index}]`}` : kind);
}

/** Whether a layer comes with the checkout, so that other people may have written it. */
export function isOfCheckout({ kind, frontmatter }: Layer): boolean {
  return kind === "project" || kind === "local" || frontmatter?.from === "project";
}

/** Whether it runs as a function of the host, without a process or a request. */
export function isInProcess(hook: Hook): hook is CallbackHook | FunctionHook {
  return hook.type === "callback" || hook.type === "function";
}

/** Whether its answer is not awaited. `wakes`: the host can be woken. */
export function isBackground(hook: Hook, wakes: boolean): boolean {
  return hook.type === "command" && (hook.asyncRewake === true ? wakes : hook.async === true);
}

/** A hook whose failure denies: it asks for that, its event can be denied, and it is awaited. */
export function isGuard({ row, onFailure, background }: Pick<ConfiguredHook, "row" | "onFailure" | "background">) {
  return onFailure === "block" && row.onFailure !== "open" && !background;
}

/** Hooks of skills and sessions may run once; elsewhere `once` has no effect. */
export function honorsOnce(source: LayerKind): boolean {
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

/** The layers that each surface of `strictPluginOnlyCustomization` locks; MCP servers have no hooks. */
const surfaces: Readonly<Record<string, readonly LayerKind[]>> = {
  hooks: ["user", "project", "local", "flag", "skill", "agent"],
  skills: ["skill"],
  agents: ["agent"],
  mcp: [],
};

/** The layers that managed settings lock, all files together. */
export function pluginsOnly(layers: readonly Layer[]): PluginsOnly | undefined {
  const locking = layers.filter(({ kind, settings }) => kind === "managed" && locksOf(settings).length > 0);
  const [layer] = locking;
  return layer && { layer, locked: [...new Set(locking.flatMap(({ settings }) => locksOf(settings)))] };
}

/** The names of the surfaces that managed settings lock. */
export function lockedSurfaces(layers: readonly Layer[]): readonly string[] {
  return layers.filter(({ kind }) => kind === "managed").flatMap(({ settings }) => surfaceNames(settings));
}

/** The layers whose hooks a policy locks. */
export function locksOf(settings: Settings): readonly LayerKind[] {
  return surfaceNames(settings).flatMap((name) => (Object.hasOwn(surfaces, name) ? (surfaces[name] ?? []) : []));
}

function surfaceNames({ strictPluginOnlyCustomization: value = false }: Settings): readonly string[] {
  if (typeof value !== "boolean") return value;
  return value ? Object.keys(surfaces) : [];
}

/** A name with a typo locks nothing and is reported. */
export function unknownSurfaces(layer: Layer): readonly Warning[] {
  const known = Object.keys(surfaces);
  const unknown = surfaceNames(layer.settings).filter((name) => !known.includes(name));
  return unknown.map((name) => {
    const text = `lists ${JSON.stringify(name)}, which is not one of ${known.join(", ")}. That entry locks nothing.`;
    return warningAt("settings-invalid", nameOf(layer), "strictPluginOnlyCustomization", text);
  });
}

/** The variables that a checkout may give its own hooks: none that changes how programs load or where they connect. */
export function checkoutEnv(layers: readonly Layer[]) {
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
  const why = `${layer.kind} settings may not change how programs load, where they connect or whether hooks run`;
  const text = `is ignored in Hookline's hosts: ${why}. Claude Code may pass it to hooks.`;
  return warningAt("env-ignored", nameOf(layer), `env.${name}`, text);
}

/** Variables that change what programs load or start, where they look for it, or where they connect; and HOOKLINE, which switches hooks off. */
const guarded: readonly RegExp[] = [
  /^(?:PATH|PATHEXT|COMSPEC|HOME|USERPROFILE|PWD|OLDPWD|CDPATH|ENV|SHELL|ZDOTDIR|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|XDG_.*)$/,
  /^BASH_(?:ENV|FUNC_.*|LOADABLES_PATH|XTRACEFD)$|^FUNCNEST$/,
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

/** In any letter case: programs read `http_proxy` in lower case. */
export function isGuarded(name: string): boolean {
  const upper = name.toUpperCase();
  return guarded.some((pattern) => pattern.test(upper));
}
