import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { ensureFolder, type Fs, ignoringErrors, replaceFile, sha256 } from "../../files/internal.ts";
import { messageOf, Problem } from "../../protocol/internal.ts";
import { type SessionPlace, sessionFilesOf } from "../find/session-files.ts";
import { ownCalls, type SessionModel } from "../model/session-model.ts";
import { openReadable } from "../read/byte-source.ts";
import { sessionAt } from "../session.ts";
import { type Backup, type BackupRequest, backUpSession, restoreBackup } from "./session-backup.ts";

/**
 * Puts the files of a changed copy in the place of the original's, each by rename, the main transcript last; files that the
 * copy no longer has go after that.
 *
 * Contract: the caller holds the session's lock. A backup is made and checked first. If the original is no longer what was
 * copied, nothing changes; if a file cannot be written, those that were are put back.
 */
export async function replaceSessionFiles(
  place: SessionPlace,
  copy: SessionCopy,
  request: Pick<BackupRequest, "root" | "why" | "now">,
  fs: Fs,
): Promise<Backup> {
  const { changed, added, removed } = await changedFiles(place, copy);
  const full = (path: string) => join(place.folder, path);
  const paths = [...changed, ...removed].map(full);
  const backup = await backUpSession({ ...request, session: place.id, paths, added: added.map(full) }, fs);
  for (const { path, sha256: found } of backup.files) {
    if (copy.hashes.get(path.slice(place.folder.length + 1)) !== found) throw changedMeanwhile(path);
  }
  try {
    for (const path of [...added, ...changed]) {
      await ensureFolder(dirname(full(path)), fs);
      await replaceFile(full(path), await readFile(join(copy.place.folder, path)), { fs });
    }
    for (const path of removed) await ignoringErrors(["ENOENT"], fs.unlink(full(path)));
  } catch (error) {
    await restoreBackup(backup, fs).catch((second: unknown) => {
      const rollback = `Bring it back with hookline sessions repair ${place.id} --rollback`;
      const message = `${messageOf(error)}; the backup in ${backup.folder} could not be put back either: ${messageOf(second)}. ${rollback}`;
      // The code of the first error, for callers that check it.
      const { code, syscall } = error as NodeJS.ErrnoException;
      throw Object.assign(new AggregateError([error, second], message), { code, syscall });
    });
    throw error;
  }
  return backup;
}

/** By path below the project folder; the main transcript comes last of the changed ones. */
export async function changedFiles(place: SessionPlace, copy: SessionCopy) {
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
  const message = `${path} was written to meanwhile. Nothing was changed; try again when it is no longer being written.`;
  return new Problem("sessions/changed", message, { about: { path } });
}

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
  const file = await openReadable(path);
  return file.readFile().finally(() => file.close());
}

/** Every file of a session, by its path below the project folder. */
export async function sessionPaths(place: SessionPlace): Promise<string[]> {
  const { main, agents, workflows, toolResults, others } = await sessionFilesOf(place);
  const paths = [
    main,
    ...agents.flatMap(({ file, meta }) => (meta === undefined ? [file] : [file, meta])),
    ...workflows.flatMap(({ journal, state }) => [journal, state].filter((path) => path !== undefined)),
    ...toolResults,
    ...others,
  ];
  return paths.map((path) => relative(place.folder, path));
}

/** Whether two versions of a session have the same calls and tokens. */
export async function countsTheSame(one: SessionPlace, other: SessionPlace): Promise<boolean> {
  return callFingerprint(await sessionAt(one).load()) === callFingerprint(await sessionAt(other).load());
}

/**
 * The calls of a session with their tokens, as one text: equal for two versions of a session that count the same. Agents
 * in another session's folder are left out, since a copy elsewhere does not see them.
 */
export function callFingerprint(model: SessionModel): string {
  const lines = ownCalls(model).map(({ call }) => `${call.key} ${JSON.stringify(call.usage())}`);
  return lines.sort().join("\n");
}
