import { resolve } from "node:path";
import {
  clientHome,
  clientReadWarnings,
  type Engine,
  type EngineOptions,
  managedFolder,
  openEngine,
} from "../../engine/internal.ts";
import { defined, type Warning } from "../../protocol/internal.ts";
import type { Io, OptionSpec, ParsedCall } from "../command-line/command.ts";
import { choice, existingFolder } from "./option-values.ts";

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

/** Calls `work` with an engine and closes it. Waits for background hooks, unless the command is interrupted. */
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

/** Warnings about settings files that Claude Code cannot read. Files named by --settings are not checked. */
export async function clientWarnings(call: ParsedCall, io: Io): Promise<readonly Warning[]> {
  const { cwd } = engineSettings(call, io);
  return clientReadWarnings({
    cwd,
    clientHome: clientHome(io.env["CLAUDE_CONFIG_DIR"], io.home),
    managedFolder: managedFolder(process.platform),
  });
}

/** The engine options that `settingsOptions` describe. */
export function engineSettings(call: ParsedCall, io: Io): EngineOptions & { readonly cwd: string } {
  return {
    cwd: resolve(io.cwd, call.text("cwd") ?? "."),
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
