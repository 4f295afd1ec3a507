import { constants } from "node:fs";
import { join } from "node:path";
import { errorCode, type Fs, nodeFs, openFlags, readWholeFile } from "../../files/internal.ts";
import { parseJsonc, plainValue } from "./json/jsonc.ts";

/** The largest settings file that is read: about a hundred times the largest one in use. */
export const maxSettingsBytes: number = 4 * 1024 * 1024;

export type SettingsSource =
  | { readonly is: "read"; readonly bytes: Uint8Array }
  | { readonly is: "missing" }
  | { readonly is: "unreadable"; readonly why: string };

/** Reads a settings file. Contract: a pipe, a device or a huge file at this path never blocks. */
export async function readSettingsSource(path: string, fs: Fs): Promise<SettingsSource> {
  try {
    const real = await fs.realpath(path);
    // Opening a pipe must not wait for a writer.
    const file = await fs.open(real, openFlags.reading | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { is: "unreadable", why: "it is not a regular file" };
      if (stat.size > maxSettingsBytes)
        return { is: "unreadable", why: `it has ${stat.size} bytes; at most ${maxSettingsBytes} are read` };
      return { is: "read", bytes: await readWholeFile(file) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { is: "missing" };
    if (code === undefined) throw error;
    return { is: "unreadable", why: error instanceof Error ? error.message : code };
  }
}

/** The text of a settings file; undefined when there is none, or none that can be read. */
export async function readSourceText(path: string, fs: Fs = nodeFs): Promise<string | undefined> {
  const source = await readSettingsSource(path, fs);
  return source.is === "read" ? Buffer.from(source.bytes).toString("utf8") : undefined;
}

/** The names in a folder, sorted; none when there is not a folder. */
export async function namesIn(folder: string, fs: Fs): Promise<readonly string[] | { readonly why: string }> {
  try {
    return (await fs.readdir(folder)).sort();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    if (code === undefined) throw error;
    return { why: error instanceof Error ? error.message : code };
  }
}

/** The real path; undefined when it cannot be resolved. */
export async function realPathOrNone(path: string, fs: Fs = nodeFs): Promise<string | undefined> {
  try {
    return await fs.realpath(path);
  } catch {
    // The caller that reads the file reports the reason.
    return undefined;
  }
}

/** The files of managed settings, lowest precedence first. */
export interface ManagedFiles {
  readonly files: readonly string[];
  /** The folder of further files exists but cannot be listed. */
  readonly unlisted?: { readonly folder: string; readonly why: string };
}

/** `managed-settings.json`, even if it does not exist, then `managed-settings.d/*.json` sorted by name. */
export async function managedFiles(folder: string, fs: Fs = nodeFs): Promise<ManagedFiles> {
  const first = join(folder, "managed-settings.json");
  const more = join(folder, "managed-settings.d");
  const names = await namesIn(more, fs);
  if ("why" in names) return { files: [first], unlisted: { folder: more, why: names.why } };
  const others = names.filter((name) => name.endsWith(".json") && !name.startsWith("."));
  return { files: [first, ...others.map((name) => join(more, name))] };
}

/** The raw value of a settings file. */
export type FileValue =
  | { readonly is: "read"; readonly value: unknown }
  | { readonly is: "missing" }
  | { readonly is: "unreadable"; readonly why: string };

/** Contract: never throws, and never blocks when the path is not a regular file. */
export async function readValue(file: string, fs: Fs = nodeFs): Promise<FileValue> {
  const source = await readSettingsSource(file, fs);
  return source.is === "read" ? valueIn(Buffer.from(source.bytes).toString("utf8")) : source;
}

/** The same for a text. */
export function valueIn(text: string): Exclude<FileValue, { is: "missing" }> {
  const parsed = parseJsonc(text);
  if (!("fault" in parsed)) return { is: "read", value: plainValue(parsed.tree) };
  const { line, column, why } = parsed.fault;
  return { is: "unreadable", why: `line ${line}, column ${column}: ${why}` };
}
