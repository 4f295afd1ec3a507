import { dirname, join } from "node:path";
import { type Fs, type HomeSource, nodeFs, openFolder, openState, withLock } from "../../files/internal.ts";
import { unlinker } from "../find/real-project-folder.ts";
import type { SessionPlace } from "../find/session-files.ts";
import { archiveRoot } from "../find/session-roots.ts";
import { checkPlace } from "../option-checks.ts";
import { archiveFile } from "./archive-file.ts";
import {
  type ArchivedFile,
  type ArchiveManifest,
  manifestPath,
  readManifest,
  writeManifest,
} from "./archive-manifest.ts";
import { sessionPaths } from "./session-copy.ts";

export interface ArchiveOptions extends HomeSource {
  /** Where the archive lies instead of the user's state folder. */
  readonly root?: string;
  readonly fs?: Fs;
  readonly now?: () => number;
}

export interface Archived {
  readonly session: string;
  /** Files that had something new, and how many bytes of it. */
  readonly files: number;
  readonly addedBytes: number;
  /** Of the source, over all files. */
  readonly heldBytes: number;
}

/**
 * Keeps a copy of a whole session, compressed. Run again, it adds what is new. Contract: the source is only read; a run that
 * is killed leaves what was archived before, and the next one goes on from there.
 */
export async function archiveSession(place: SessionPlace, options: ArchiveOptions = {}): Promise<Archived> {
  checkPlace(place);
  const { fs = nodeFs, now = Date.now, root = archiveRoot(options).path } = options;
  if (place.root.origin === "archive") return { session: place.id, files: 0, addedBytes: 0, heldBytes: 0 };
  if (options.root === undefined) await openState([], options, fs);
  await openFolder(root, fs);
  const source = await unlinker()(place);
  const path = manifestPath(root, source);
  await openFolder(dirname(path), fs);
  return withLock(path, () => addNew(source, root, path, fs, now), { fs });
}

async function addNew(
  place: SessionPlace,
  root: string,
  manifest: string,
  fs: Fs,
  now: () => number,
): Promise<Archived> {
  const before = await readManifest(manifest, fs);
  const files: Record<string, ArchivedFile> = { ...before?.files };
  let changed = 0;
  let addedBytes = 0;
  for (const path of await sessionPaths(place)) {
    const target = join(root, "projects", place.project, `${path}.gz`);
    const held = await archiveFile(join(place.folder, path), target, before?.files[path], fs);
    if (held === before?.files[path]) continue;
    addedBytes += held.members
      .slice(commonMembers(held, before?.files[path]))
      .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    changed += 1;
    files[path] = held;
  }
  const heldBytes = Object.values(files).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (changed > 0) {
    const next: ArchiveManifest = {
      version: 1,
      session: place.id,
      source: place.file,
      archivedAt: new Date(now()).toISOString(),
      files,
    };
    await writeManifest(manifest, next, fs);
  }
  return { session: place.id, files: changed, addedBytes, heldBytes };
}

function commonMembers(now: ArchivedFile, before: ArchivedFile | undefined): number {
  return before === undefined || now.head !== before.head ? 0 : Math.min(before.members.length, now.members.length);
}
