import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ignoringErrors, openFolder, sha256, writePrivate } from "../../../files/internal.ts";
import { type CommandHook, defined, type HookRef, messageOf } from "../../../protocol/internal.ts";
import { spillFolder } from "../../fire/answer-files.ts";
import type { HookRun } from "../../fire/firing-event.ts";
import type { AnyPayload } from "../../fire/payload.ts";
import type { EffectiveSettings } from "../../live/effective-settings.ts";
import type { Environment, ResolvedOptions } from "../../options.ts";
import type { Services } from "../../services.ts";
import { type ConfiguredHook, isOfCheckout, type PluginRoot } from "../../settings/layer.ts";
import type { MaybeAsync } from "../run-limits.ts";
import type { RunnerResult } from "../runner-result.ts";

/** A text with `$NAME` and `${NAME}` replaced. One pass, so that a value that holds `$X` is not replaced again. */
export function replaceVariables(text: string, lookUp: (name: string) => string): string {
  const variable = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;
  return text.replace(variable, (_, braced?: string, bare?: string) => lookUp(braced ?? bare ?? ""));
}

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

interface EnvironmentSource {
  readonly settings: EffectiveSettings;
  readonly services: Pick<Services, "options">;
}

/** The environment of a hook: what the host has, what settings add, and for the checkout's own hooks what the checkout adds. */
export function hookEnvironment(
  { layer }: Pick<ConfiguredHook, "layer">,
  { settings, services: { options } }: EnvironmentSource,
): Environment {
  const known = environments.get(settings) ?? buildEnvironments(settings, options);
  environments.set(settings, known);
  return isOfCheckout(layer) ? known.checkout : known.shared;
}

/** Built once per snapshot, not once per event. */
const environments = new WeakMap<EffectiveSettings, ReturnType<typeof buildEnvironments>>();

function buildEnvironments({ merged, checkoutEnv }: EffectiveSettings, { env, stripEnv }: ResolvedOptions) {
  const isStripped = (name: string): boolean =>
    stripEnv.some((strip) => (strip.endsWith("*") ? name.startsWith(strip.slice(0, -1)) : name === strip));
  const inherited: Environment = Object.fromEntries(Object.entries(env).filter(([name]) => !isStripped(name)));
  return { shared: { ...inherited, ...merged.env }, checkout: { ...inherited, ...checkoutEnv, ...merged.env } };
}

export interface Placeholders {
  readonly projectDir: string;
  readonly plugin: PluginRoot | undefined;
}

type FilledCommand = { readonly command: string; readonly args?: readonly string[] } | { readonly refused: string };

/**
 * Command and arguments with `${…}` filled in. In shell form a value that a shell could read as more than a word is not pasted: paths
 * are left to the shell to expand from the environment, options refuse the hook.
 */
export function fillPlaceholders({ command, args }: CommandHook, places: Placeholders): FilledCommand {
  const inShell = args === undefined;
  for (const text of [command, ...(args ?? [])]) {
    const refused = optionRefusal(text, places, inShell);
    if (refused !== undefined) return { refused };
  }
  const filled = (text: string): string => fill(text, places, inShell);
  return inShell ? { command: filled(command) } : { command: filled(command), args: args.map(filled) };
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

/** One pass over the text: a value that itself holds `${…}` is never filled again. */
function fill(text: string, { projectDir, plugin }: Placeholders, inShell: boolean): string {
  return text.replace(placeholder, (written: string, name: string) => {
    // The shell has the project folder in its environment; only a direct start needs it filled in.
    if (name === "CLAUDE_PROJECT_DIR") return inShell ? written : projectDir;
    const value = plugin && pluginValue(plugin, name);
    return value === undefined || (inShell && !isPlain(value)) ? written : value;
  });
}

const placeholder = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|user_config\.[A-Za-z0-9_.-]+)\}/g;

function pluginValue(plugin: PluginRoot, name: string): string | undefined {
  if (name === "CLAUDE_PLUGIN_ROOT") return plugin.root;
  if (name === "CLAUDE_PLUGIN_DATA") return plugin.data;
  // Never what an object inherits: `constructor` is not an option.
  const { options = {} } = plugin;
  const key = name.slice("user_config.".length);
  return Object.hasOwn(options, key) ? options[key] : undefined;
}

/**
 * Why an option cannot be filled in. A guard that receives a placeholder instead of a value would guard something else, and a shell
 * takes what is left of one for a syntax error, whose exit code would read as a block.
 */
function optionRefusal(text: string, { plugin }: Placeholders, inShell: boolean): string | undefined {
  if (plugin === undefined) return undefined;
  for (const [written, name = ""] of text.matchAll(/\$\{(user_config\.[A-Za-z0-9_.-]+)\}/g)) {
    const value = pluginValue(plugin, name);
    if (value === undefined)
      return `${written} is not set; set it in pluginConfigs of your settings (sensitive options are kept where only Claude Code reads them)`;
    if (inShell && !isPlain(value)) {
      const variable = optionVariable(name.slice("user_config.".length));
      return `${written} holds characters a shell would read; use "$${variable}" instead`;
    }
  }
  return undefined;
}

function isPlain(value: string): boolean {
  return /^[A-Za-z0-9_@%+=:,./-]*$/.test(value);
}

export interface PreparedFiles {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Removes the input file and notes an env file that was written to. */
  readonly afterRun?: (ran: RunnerResult) => Promise<RunnerResult>;
}

/** A command hook that is due to run, with the files it gets. */
export interface CommandRun extends HookRun {
  readonly command: CommandHook;
  readonly files: PreparedFiles;
}

/** The files a hook gets besides its stdin. Most hooks need none, and then nothing is touched. */
export function prepareFiles(hook: CommandHook, run: HookRun): MaybeAsync<PreparedFiles | { failed: string }> {
  const getsEnvFile = run.event.row.special.envFile === true && hook.shell !== "powershell";
  const wantsInput = wantsInputFile(hook);
  return getsEnvFile || wantsInput ? makeFiles(run, getsEnvFile, wantsInput) : noFiles;
}

const noFiles: PreparedFiles = { variables: {} };

async function makeFiles(
  { event: { row, payload, services }, hook, line }: HookRun,
  getsEnvFile: boolean,
  wantsInput: boolean,
): Promise<PreparedFiles | { failed: string }> {
  const sessionId = String(payload["session_id"]);
  const { options } = services;
  try {
    const input = wantsInput ? await writePrivate(spillFolder(options, sessionId), line, inputName) : undefined;
    const envFile = getsEnvFile ? await envFilePath(options.envFileRoot, sessionId, row.name, hook.order) : undefined;
    return {
      variables: defined({ HOOK_INPUT_FILE: input, CLAUDE_ENV_FILE: envFile }),
      afterRun: async (ran) => {
        // The hook may have removed it itself.
        if (input !== undefined) await rm(input, { force: true });
        const written = envFile === undefined ? undefined : await ignoringErrors(["ENOENT"], stat(envFile));
        return written?.size ? { ...ran, envFile } : ran;
      },
    };
  } catch (error) {
    return { failed: `its files could not be prepared: ${messageOf(error)}` };
  }
}

const inputName = { prefix: "input-", suffix: ".json" };

/** Most hooks read stdin and need no file. */
function wantsInputFile({ command, args = [], inputFile }: CommandHook): boolean {
  return inputFile === true || [command, ...args].some((text) => text.includes("HOOK_INPUT_FILE"));
}

/** `$ARGUMENTS` of a shell command, from the environment: payload text is never pasted into a command line. */
export function argumentsVariable(hook: CommandHook, line: string): Readonly<Record<string, string>> {
  return namesArguments(hook) ? { ARGUMENTS: line } : {};
}

/** Why a command that reads the payload from `$ARGUMENTS` cannot run: it would see an empty text and take that for harmless. */
export function argumentsRefusal(hook: CommandHook, line: string): string | undefined {
  if (!namesArguments(hook)) return undefined;
  const bytes = Buffer.byteLength(line);
  if (bytes <= mostArgumentBytes) return undefined;
  return `the payload has ${bytes} bytes, and $ARGUMENTS holds at most ${mostArgumentBytes}; read the payload from stdin instead`;
}

function namesArguments({ command, args }: CommandHook): boolean {
  return args === undefined && /\$\{?[#!]?(?:env:)?ARGUMENTS\b/i.test(command);
}

/** A system passes no more than 128 KiB in one variable. */
const mostArgumentBytes = 100_000;

/** Where a hook may leave `export A=1` lines for later shell calls: one file per session, event and hook. */
async function envFilePath(root: string, sessionId: string, event: string, index: number): Promise<string> {
  const folder = join(root, "session-env", folderName(sessionId));
  await openFolder(folder);
  return join(folder, `${event.toLowerCase()}-hook-${index}.sh`);
}

/** An id is never a path: one that could be becomes a hash. */
function folderName(sessionId: string): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(sessionId)) return sessionId;
  return sha256(sessionId).slice(0, 32);
}
