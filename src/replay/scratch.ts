import { lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processExists } from "../files/internal.ts";

const prefix = "hookline-replay-";

/** A private folder that goes with the replay. Takes along what replays left that were killed. */
export async function makeScratch(folder: string = tmpdir()): Promise<string> {
  const temp = await realpath(folder);
  for (const name of await readdir(temp)) {
    const pid = Number(/^hookline-replay-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !processExists(pid)) await removeOwn(join(temp, name));
  }
  return mkdtemp(join(temp, `${prefix}${process.pid}-`));
}

/** A shared folder for temporary files may hold what others named like ours. */
async function removeOwn(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat?.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return;
  await rm(path, { recursive: true, force: true });
}
