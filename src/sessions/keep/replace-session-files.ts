import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ensureFolder, type Fs, replaceFile, sha256, unless } from "../../files/internal.ts";
import { messageOf, Problem } from "../../protocol/index.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { type Backup, backUp, restoreBackup } from "./session-backup.ts";
import { type SessionCopy, sessionPaths } from "./session-copy.ts";

export interface SwapWish {
  readonly backups: string;
  readonly why: string;
  readonly now: number;
}

/**
 * Puts the files of a changed copy in the place of the original's, each by rename, the main transcript last; files that the
 * copy no longer has go after that.
 *
 * Contract: the caller holds the session's lock. A backup is made and checked first. If the original is no longer what was
 * copied, nothing changes; if a file cannot be written, those that were are put back.
 */
export async function swapIn(place: SessionPlace, copy: SessionCopy, wish: SwapWish, fs: Fs): Promise<Backup> {
  const { changed, added, removed } = await differences(place, copy);
  const full = (path: string) => join(place.folder, path);
  const backup = await backUp(
    {
      root: wish.backups,
      session: place.id,
      why: wish.why,
      paths: [...changed, ...removed].map(full),
      added: added.map(full),
      now: wish.now,
    },
    fs,
  );
  for (const { path, sha256: found } of backup.files) {
    if (copy.hashes.get(path.slice(place.folder.length + 1)) !== found) throw changedMeanwhile(path);
  }
  try {
    for (const path of [...added, ...changed]) {
      await ensureFolder(dirname(full(path)), fs);
      await replaceFile(full(path), await readFile(join(copy.place.folder, path)), { fs });
    }
    for (const path of removed) await unless(["ENOENT"], fs.unlink(full(path)));
  } catch (error) {
    await restoreBackup(backup, fs).catch((second: unknown) => {
      const rollback = `Bring it back with hookline sessions repair ${place.id} --rollback`;
      const message = `${messageOf(error)}; the backup in ${backup.folder} could not be put back either: ${messageOf(second)}. ${rollback}`;
      // What the machine said first, for those who look at the code of an error.
      const { code, syscall } = error as NodeJS.ErrnoException;
      throw Object.assign(new AggregateError([error, second], message), { code, syscall });
    });
    throw error;
  }
  return backup;
}

interface Differences {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** By path below the project folder; the main transcript comes last of the changed ones. */
export async function differences(place: SessionPlace, copy: SessionCopy): Promise<Differences> {
  const now = new Set(await sessionPaths(copy.place));
  const changed: string[] = [];
  for (const [path, hash] of copy.hashes) {
    if (now.has(path) && sha256(await readFile(join(copy.place.folder, path))) !== hash) changed.push(path);
  }
  const main = place.file.slice(place.folder.length + 1);
  changed.sort((a, b) => Number(a === main) - Number(b === main));
  const removed = [...copy.hashes.keys()].filter((path) => !now.has(path));
  return { changed, added: [...now].filter((path) => !copy.hashes.has(path)), removed };
}

function changedMeanwhile(path: string): Problem {
  return new Problem(
    "sessions/changed",
    `${path} was written to meanwhile. Nothing was changed; try again when it rests.`,
    {
      about: { path },
    },
  );
}
