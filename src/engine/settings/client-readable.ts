import { join } from "node:path";
import { type Fs, nodeFs } from "../../files/internal.ts";
import type { Warning } from "../../protocol/index.ts";
import { type ClientFile, clientFault, clientFaultText } from "./client-fault.ts";
import type { SettingsPlaces } from "./load-layers.ts";
import { managedFiles, readSourceFile } from "./settings-source.ts";

/**
 * A warning for every settings file that Claude Code reads by itself (managed, user, project, local) and does not use as it is.
 * Files that a caller names are not among them: there comments are legal.
 */
export async function clientReadWarnings(
  places: Pick<SettingsPlaces, "cwd" | "clientHome" | "managedFolder">,
  fs: Fs = nodeFs,
): Promise<readonly Warning[]> {
  // A folder that cannot be listed is reported by the reader of all layers.
  const { files: policy } = await managedFiles(places.managedFolder, fs);
  const own = new Set([
    join(places.clientHome, "settings.json"),
    join(places.cwd, ".claude", "settings.json"),
    join(places.cwd, ".claude", "settings.local.json"),
  ]);
  const found = await Promise.all([
    ...policy.map((file) => fileWarning(file, "managed", fs)),
    ...[...own].map((file) => fileWarning(file, "own", fs)),
  ]);
  return found.flat();
}

async function fileWarning(file: string, kind: ClientFile, fs: Fs): Promise<readonly Warning[]> {
  const source = await readSourceFile(file, fs);
  if (source.is !== "read") return [];
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(source.bytes);
  const fault = clientFault(text, kind);
  if (fault === undefined) return [];
  const place = `${file}:${fault.line}:${fault.column}`;
  return [{ code: "client-cannot-read", message: clientFaultText(file, fault), place }];
}
