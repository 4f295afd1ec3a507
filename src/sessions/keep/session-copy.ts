import { dirname, join, relative } from "node:path";
import { ensureFolder, type Fs, replaceFile, sha256 } from "../../files/internal.ts";
import { filesOf, type SessionPlace } from "../find/session-files.ts";
import { openFile, unreadableFile } from "../read/byte-source.ts";

export interface SessionCopy {
  readonly place: SessionPlace;
  /** What was copied: SHA-256 by path below the project folder. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** A whole session under another root, in the same layout. */
export async function copySession(place: SessionPlace, root: string, fs: Fs): Promise<SessionCopy> {
  const folder = join(root, "projects", place.project);
  const file = join(folder, relative(place.folder, place.file));
  const hashes = new Map<string, string>();
  for (const path of await sessionPaths(place)) {
    const bytes = await readWhole(join(place.folder, path));
    await ensureFolder(dirname(join(folder, path)), fs);
    await replaceFile(join(folder, path), bytes, { fs });
    hashes.set(path, sha256(bytes));
  }
  return { place: { ...place, root: { ...place.root, path: root }, folder, file }, hashes };
}

async function readWhole(path: string): Promise<Buffer> {
  const file = await openFile(path).catch((cause: unknown) => {
    throw unreadableFile(path, cause);
  });
  return file.readFile().finally(() => file.close());
}

/** Every file of a session, by its path below the project folder. */
export async function sessionPaths(place: SessionPlace): Promise<string[]> {
  const { main, agents, workflows, toolResults, others } = await filesOf(place);
  const paths = [
    main,
    ...agents.flatMap(({ file, meta }) => (meta === undefined ? [file] : [file, meta])),
    ...workflows.flatMap(({ journal, state }) => [journal, state].filter((path) => path !== undefined)),
    ...toolResults,
    ...others,
  ];
  return paths.map((path) => relative(place.folder, path));
}

/** Removes a folder and all that is in it, file by file; links are removed, not followed. */
export async function removeTree(path: string, fs: Fs): Promise<void> {
  for (const name of await fs.readdir(path)) {
    const below = join(path, name);
    if ((await fs.lstat(below)).isDirectory()) await removeTree(below, fs);
    else await fs.unlink(below);
  }
  await fs.rmdir(path);
}
