import { chmod, lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Edit, editSettings } from "../../engine/internal.ts";
import { errorCode, ignoringErrors, sha256 } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";

/** The real path of a settings file, which need not exist yet: our own records use this path. */
export async function realFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    // A circular link resolves to nothing; reading the file reports it.
    if (errorCode(error) === "ELOOP") return path;
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
  const link = await ignoringErrors(["ENOENT", "ENOTDIR", "EINVAL"], readlink(path));
  if (link !== undefined) return realFile(resolve(dirname(path), link));
  return dirname(path) === path ? path : join(await realFile(dirname(path)), basename(path));
}

export interface SettingsRead {
  readonly settings: unknown;
  readonly text: string;
  readonly hash: string | null;
}

/** The content of a settings file, and its text; empty for a missing file. Contract: an unreadable one is a `Problem`. */
export async function readSettings(path: string): Promise<SettingsRead> {
  const read = await inspectSettings(path);
  if (read.problem !== undefined) throw read.problem;
  return read;
}

/** The same, but invalid settings are returned together with their `Problem`. */
export async function inspectSettings(path: string): Promise<SettingsRead & { readonly problem?: Problem }> {
  let settings: unknown;
  let text = "";
  const isThere = (await modeOf(path)) !== undefined;
  const look = (value: unknown, written: string): readonly Edit[] => {
    settings = value;
    text = written;
    // A text that cannot be read is refused by the editor, with its place, once there is something to edit.
    return value === undefined ? [{ do: "remove", path: ["hooks"] }] : [];
  };
  const read = () => ({ settings, text, hash: isThere ? sha256(text) : null });
  try {
    await editSettings(path, look, { dryRun: true });
    return read();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return { ...read(), problem };
  }
}

/** Undefined when there is no such file. */
export async function modeOf(path: string): Promise<number | undefined> {
  const stat = await ignoringErrors(["ENOENT", "ENOTDIR"], lstat(await realFile(path)));
  return stat && stat.mode & 0o7777;
}

/** The outermost missing folder of a path; undefined when all exist. */
export async function outermostMissing(folder: string): Promise<string | undefined> {
  if ((await modeOf(folder)) !== undefined) return undefined;
  return (await outermostMissing(dirname(folder))) ?? folder;
}

/** Makes a file with a token readable by its owner only. False when it was so already, or does not exist. */
export async function restrictToOwner(path: string): Promise<boolean> {
  const mode = await modeOf(path);
  if (mode === undefined || (mode & 0o077) === 0) return false;
  await chmod(await realFile(path), 0o600);
  return true;
}
