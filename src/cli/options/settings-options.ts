import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  clientHome,
  clientReadWarnings,
  type Engine,
  type EngineOptions,
  managedFolder,
  openEngine,
} from "../../engine/internal.ts";
import { Problem, type Warning } from "../../protocol/internal.ts";
import type { Call, Io, Option } from "../command-line/command.ts";
import { oneOf } from "../option-values.ts";

/** The options that say which settings apply. */
export const settingsOptions: Readonly<Record<"cwd" | "settings" | "plugin-dir", Option>> = {
  cwd: { type: "string", value: "DIR", about: "the project folder (default: here)" },
  settings: { type: "string", value: "FILE", multiple: true, about: "a further settings file; may be given again" },
  "plugin-dir": { type: "string", value: "DIR", multiple: true, about: "a plugin's folder; may be given again" },
};

/** The options every command that opens an engine takes. */
export const engineOptions: Readonly<Record<string, Option>> = {
  ...settingsOptions,
  trust: { type: "string", value: "MODE", about: "pinned (default), workspace or implicit" },
};

export async function openFrom(call: Call, io: Io, more: EngineOptions = {}): Promise<Engine> {
  const trust = trustMode(call.text("trust"));
  return openEngine({
    ...settingsFrom(call, io),
    ...(trust === undefined ? {} : { trust }),
    ...more,
  });
}

/** What Claude Code cannot read of its own settings files here. Files that --settings names are not among them. */
export async function clientWarnings(call: Call, io: Io): Promise<readonly Warning[]> {
  const { cwd } = settingsFrom(call, io);
  return clientReadWarnings({
    cwd,
    clientHome: clientHome(io.env["CLAUDE_CONFIG_DIR"], io.home),
    managedFolder: managedFolder(process.platform),
  });
}

/** Where those options point. */
export function settingsFrom(call: Call, io: Io): EngineOptions & { readonly cwd: string } {
  return {
    cwd: resolve(io.cwd, call.text("cwd") ?? "."),
    home: io.home,
    env: io.env,
    settings: settingsFiles(call, io),
    plugins: pluginFolders(call, io),
  };
}

/** What --plugin-dir names. A folder that is not there would leave the plugin's guards off. */
export function pluginFolders(call: Call, io: Io): readonly string[] {
  return call.texts("plugin-dir").map((given) => {
    const folder = resolve(io.cwd, given);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
    throw new Problem("cli/usage", `--plugin-dir names ${folder}, which does not exist.`);
  });
}

/** What --settings names: files, or settings written on the command line. */
export function settingsFiles(call: Call, io: Io): readonly string[] {
  return call.texts("settings").map((given) => (given.trimStart().startsWith("{") ? given : resolve(io.cwd, given)));
}

export function trustMode(word: string | undefined): EngineOptions["trust"] {
  return oneOf("trust", word, ["pinned", "workspace", "implicit"]);
}
