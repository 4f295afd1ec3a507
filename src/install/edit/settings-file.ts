import { chmod, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Edit, editSettings, realFile } from "../../engine/internal.ts";
import { ignoringErrors } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";

interface SettingsRead {
  readonly settings: unknown;
  readonly text: string;
}

/** The content of a settings file, and its text; an empty object for a missing file. Contract: an unreadable one is a `Problem`. */
export async function readSettings(path: string): Promise<SettingsRead> {
  const read = await inspectSettings(path);
  if (read.problem !== undefined) throw read.problem;
  return read;
}

/** The same, but invalid settings are returned together with their `Problem`. */
export async function inspectSettings(path: string): Promise<SettingsRead & { readonly problem?: Problem }> {
  let read: SettingsRead = { settings: undefined, text: "" };
  const look = (settings: unknown, text: string): readonly Edit[] => {
    read = { settings, text };
    // A text that cannot be read is refused by the editor, with its place, once there is something to edit.
    return settings === undefined ? [{ do: "remove", path: ["hooks"] }] : [];
  };
  try {
    await editSettings(path, look, { dryRun: true });
    return read;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return { ...read, problem };
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
