import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type HomeSource, openState, replaceFile, sha256 } from "../../files/internal.ts";

const keep = 10;

/** What a settings file is called in our own folder. */
export function settingsKey(realPath: string): string {
  return sha256(realPath).slice(0, 32);
}

/** Keeps the bytes of a settings file in the user's state folder, the last ten of each; gives the backup's path. */
export async function backUp(realPath: string, text: string, home: HomeSource, now: Date): Promise<string> {
  const folder = await openState(["backups", settingsKey(realPath)], home);
  const hash = sha256(text).slice(0, 8);
  const path = join(folder, `${now.toISOString().replaceAll(":", "-")}-${hash}.json`);
  await replaceFile(path, text);
  // Whatever the clock says, the one that was just written is not the oldest.
  const others = (await readdir(folder)).filter((name) => name.endsWith(".json") && join(folder, name) !== path).sort();
  for (const name of others.slice(0, 1 - keep)) await rm(join(folder, name), { force: true });
  return path;
}
