import { constants } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  closeAfter,
  errorCode,
  type Fs,
  ignoringErrors,
  nodeFs,
  openFlags,
  readWholeFile,
} from "../../files/internal.ts";
import { attempt, messageOf } from "../../protocol/internal.ts";
import type { ResolvedOptions } from "../options.ts";
import { faultText, parseJsonc, plainValue } from "./json/jsonc.ts";

/** Where settings are. Only the host sets it; no file can change it. */
export type SettingsPlaces = Pick<ResolvedOptions, "cwd" | "claudeHome" | "managedFolder"> &
  Partial<Pick<ResolvedOptions, "settings" | "plugins" | "settingSources" | "rows">>;

/** The largest settings file that is read: about a hundred times the largest one in use. */
export const maxSettingsBytes: number = 4 * 1024 * 1024;

type ReadResult<Content> =
  | (Content & { readonly is: "read" })
  | { readonly is: "missing" }
  | { readonly is: "unreadable"; readonly why: string };

/** Reads a settings file. Contract: a pipe, a device or a huge file at this path never blocks. */
export async function readSettingsSource(
  path: string,
  fs: Fs = nodeFs,
): Promise<ReadResult<{ readonly bytes: Uint8Array }>> {
  try {
    const real = await fs.realpath(path);
    // Opening a pipe must not wait for a writer.
    const file = await fs.open(real, openFlags.reading | (constants.O_NONBLOCK ?? 0));
    return await closeAfter(file, async () => {
      const stat = await file.stat();
      if (!stat.isFile()) return { is: "unreadable", why: "it is not a regular file" };
      if (stat.size > maxSettingsBytes) return { is: "unreadable", why: tooManyBytes(stat.size) };
      return { is: "read", bytes: await readWholeFile(file) };
    });
  } catch (error) {
    const why = whyUnreadable(error);
    return why === undefined ? { is: "missing" } : { is: "unreadable", why };
  }
}

export function tooManyBytes(size: number): string {
  return `it has ${size} bytes; at most ${maxSettingsBytes} are read`;
}

/** Why a path cannot be read; undefined when nothing exists there. */
function whyUnreadable(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined) throw error;
  return code === "ENOENT" || code === "ENOTDIR" ? undefined : messageOf(error);
}

/** The text of bytes, with its BOM; undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** The text of a settings file; undefined when it is missing or cannot be read. */
export async function readSourceText(path: string): Promise<string | undefined> {
  const source = await readSettingsSource(path);
  return source.is === "read" ? Buffer.from(source.bytes).toString("utf8") : undefined;
}

/** The names in a folder, sorted; none when there is no folder. */
export async function namesIn(folder: string): Promise<readonly string[] | { readonly why: string }> {
  try {
    return (await nodeFs.readdir(folder)).sort();
  } catch (error) {
    const why = whyUnreadable(error) ?? (await brokenLink(folder));
    return why === undefined ? [] : { why };
  }
}

/** Why nothing is found at a path that is a link, or in a folder that is one, if the target is missing, as on a volume that is not mounted. */
export async function brokenLink(path: string): Promise<string | undefined> {
  for (const place of [path, dirname(path)]) {
    const link = await nodeFs.readlink(place).catch(() => undefined);
    if (link !== undefined && (await realPathOrNone(place)) === undefined) return `${place} links to a missing target`;
  }
  return undefined;
}

/** The real path; undefined when it cannot be resolved. The caller that reads the file reports the reason. */
export function realPathOrNone(path: string): Promise<string | undefined> {
  return nodeFs.realpath(path).catch(() => undefined);
}

/**
 * The real path of a file that may not exist yet: as far as the path exists, and where a link leads even if nothing is there.
 * A circular link is its own real path; reading the file reports it.
 */
export async function realFile(path: string, fs: Fs = nodeFs): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (errorCode(error) === "ELOOP") return path;
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
  if (dirname(path) === path) return path;
  const link = await ignoringErrors(["ENOENT", "ENOTDIR", "EINVAL"], fs.readlink(path));
  const folder = await realFile(dirname(path), fs);
  return link === undefined ? join(folder, basename(path)) : realFile(resolve(folder, link), fs);
}

/** The settings files of the user and of a folder. They may not exist. */
export function ownSettingsFiles(places: { readonly cwd: string; readonly claudeHome: string }) {
  return {
    user: join(places.claudeHome, "settings.json"),
    project: join(places.cwd, ".claude", "settings.json"),
    local: join(places.cwd, ".claude", "settings.local.json"),
  };
}

/**
 * The files of managed settings, lowest precedence first: `managed-settings.json`, even if it does not exist, then
 * `managed-settings.d/*.json` sorted by name. `unlisted` is that folder, if it exists but cannot be listed.
 */
export async function managedFiles(folder: string) {
  const first = join(folder, "managed-settings.json");
  const more = join(folder, "managed-settings.d");
  const names = await namesIn(more);
  if ("why" in names) return { files: [first], unlisted: { folder: more, why: names.why } };
  const settings = names.filter((name) => /\.json[c5]?$/i.test(name) && !name.startsWith("."));
  const [others, misnamed] = [true, false].map((isRead) =>
    settings.filter((name) => name.endsWith(".json") === isRead).map((name) => join(more, name)),
  );
  return { files: [first, ...(others ?? [])], misnamed };
}

type ValueResult = ReadResult<{ readonly value: unknown }>;

/** The value in a settings file. Contract: never throws, and never blocks when the path is not a regular file. */
export async function readValue(file: string): Promise<ValueResult> {
  const source = await readSettingsSource(file);
  return source.is === "read" ? valueIn(Buffer.from(source.bytes).toString("utf8")) : source;
}

/** The same for a text. */
export function valueIn(text: string): Exclude<ValueResult, { is: "missing" }> {
  const parsed = parseJsonc(text);
  if ("fault" in parsed) return { is: "unreadable", why: faultText(parsed.fault) };
  return { is: "read", value: plainValue(parsed.tree) };
}
