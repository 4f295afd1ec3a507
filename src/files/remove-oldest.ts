import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Removes files of a folder whose name matches, except the `keep` newest, each with its source map. */
export async function removeOldest(folder: string, isOne: RegExp, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => isOne.test(name));
  if (names.length <= keep) return;
  const files = await Promise.all(names.map(async (name) => ({ name, writtenAt: await mtimeOf(join(folder, name)) })));
  files.sort((a, b) => b.writtenAt - a.writtenAt);
  for (const { name } of files.slice(keep)) {
    await rm(join(folder, name), { force: true });
    await rm(join(folder, `${name}.map`), { force: true });
  }
}

/** 0 for a file that another process has removed. */
function mtimeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
