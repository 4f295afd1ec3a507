import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  claudeCodeWarnings,
  claudeHome,
  type Engine,
  type EngineOptions,
  managedFolder,
  openEngine,
  realPathOrNone,
} from "../../engine/internal.ts";
import { defined, type Warning } from "../../protocol/internal.ts";
import type { Io, OptionSpec, ParsedCall } from "../command-line/command.ts";
import { choice, existingFolder, workingFolder } from "./option-values.ts";

/** Options that select the settings in effect. */
export const settingsOptions: Readonly<Record<"cwd" | "settings" | "plugin-dir", OptionSpec>> = {
  cwd: { value: "DIR", about: "project directory (default: the current one)" },
  settings: { value: "FILE", multiple: true, about: "additional settings file; can be repeated" },
  "plugin-dir": { value: "DIR", multiple: true, about: "plugin directory; can be repeated" },
};

/** Options of every command that opens an engine. */
export const engineOptions: Readonly<Record<string, OptionSpec>> = {
  ...settingsOptions,
  trust: { value: "MODE", about: "which hooks of the project may run: pinned (default), workspace or implicit" },
};

/** Opens an engine, calls `work` and closes the engine. Waits for background hooks, unless the command is interrupted. */
export async function withEngine(call: ParsedCall, io: Io, work: (engine: Engine) => Promise<number>): Promise<number> {
  const engine = await openEngine({ ...engineSettings(call, io), ...defined({ trust: trustMode(call) }) });
  try {
    return await work(engine);
  } finally {
    await engine.close({ waitMs: io.signal.aborted ? 0 : longestWaitMs });
  }
}

/** For background hooks without a limit of their own. */
const longestWaitMs = 600_000;

/**
 * Warnings of the engine, about settings files that Claude Code cannot read (files named by --settings are not checked), about hooks of a
 * parent directory, which do not apply, and about the variable that switches hooks off.
 */
export async function settingsWarnings(engine: Engine, call: ParsedCall, io: Io): Promise<readonly Warning[]> {
  const { cwd, settings } = engineSettings(call, io);
  const unread = await claudeCodeWarnings({
    cwd,
    claudeHome: claudeHome(io.env["CLAUDE_CONFIG_DIR"], io.home),
    managedFolder: managedFolder(process.platform),
  });
  const warnings = [...engine.warnings, ...unread, ...offWarning(engine, io)];
  if (!isBelowProject((await realPathOrNone(cwd)) ?? cwd, io.home)) return warnings;
  const { parentSettings } = await import("../../install/internal.ts");
  return [...warnings, ...(await parentSettings({ cwd, home: io.home, env: io.env }, settings))];
}

function offWarning(engine: Engine, io: Io): readonly Warning[] {
  const set = engine.toolEnv()["HOOKLINE"];
  if ((set ?? io.env["HOOKLINE"]) !== "0") return [];
  const place = set === undefined ? "the environment" : "env of the settings";
  const message = `HOOKLINE=0 in ${place} switches off every hook of Hookline apps. Remove it to switch them on.`;
  return [{ code: "disabled", message }];
}

/** Whether a parent directory may have settings of a project. The code that reads them is loaded only then. */
function isBelowProject(cwd: string, home: string): boolean {
  const parent = dirname(cwd);
  if (parent === cwd) return false;
  return (parent !== home && existsSync(join(parent, ".claude"))) || isBelowProject(parent, home);
}

/** First line when no hooks are found. An unreadable file may contain some. */
export function withoutHooks(none: string, warnings: readonly { readonly code: string }[]): string {
  const isUnread = warnings.some(({ code }) => code === "settings-unreadable" || code === "managed-unreadable");
  return isUnread ? "A settings file cannot be read, so its hooks are not known." : none;
}

/** The engine options that `settingsOptions` describe. */
export function engineSettings(call: ParsedCall, io: Io) {
  return {
    cwd: workingFolder(call, io),
    home: io.home,
    env: io.env,
    settings: settingsArguments(call, io),
    plugins: pluginFolders(call, io),
  };
}

/** The directories that --plugin-dir names. A missing one is an error: its guards would be off. */
export function pluginFolders(call: ParsedCall, io: Io): readonly string[] {
  return call.texts("plugin-dir").map((given) => existingFolder("plugin-dir", given, io));
}

/** The values of --settings (or another option) as paths, or as JSON given on the command line. */
export function settingsArguments(call: ParsedCall, io: Io, option = "settings"): readonly string[] {
  return call.texts(option).map((given) => (given.trimStart().startsWith("{") ? given : resolve(io.cwd, given)));
}

export function trustMode(call: ParsedCall): EngineOptions["trust"] {
  return choice(call, "trust", ["pinned", "workspace", "implicit"]);
}
