import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface Watched {
  readonly files: readonly string[];
  /** Of these, everything that is in them. */
  readonly folders: readonly string[];
}

const quietMs = 100;

/**
 * Folders are watched rather than files: editors replace a file, and a file may not exist yet. For a folder that does not exist yet,
 * its nearest existing parent is watched.
 */
export function watchFiles({ files, folders }: Watched, onChange: () => void): () => void {
  const wanted = new Map<string, ReadonlySet<string> | "all">(folders.map((folder) => [folder, "all"]));
  for (const file of files) {
    const names = wanted.get(dirname(file)) ?? new Set<string>();
    if (names !== "all") wanted.set(dirname(file), new Set([...names, basename(file)]));
  }
  let timer: NodeJS.Timeout | undefined;
  let watchers: readonly FSWatcher[] = arm();

  function arm(): readonly FSWatcher[] {
    return [...wanted].flatMap(([folder, names]) => watchFolder(folder, names, changed, () => rearm()));
  }

  function changed(): void {
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMs);
  }

  function rearm(): void {
    for (const watcher of watchers) watcher.close();
    watchers = arm();
    changed();
  }

  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

function watchFolder(
  folder: string,
  names: ReadonlySet<string> | "all",
  onChange: () => void,
  onFolder: () => void,
): FSWatcher[] {
  const there = nearestFolder(folder);
  if (there === folder)
    return tryWatch(folder, (name) => name === null || names === "all" || names.has(name), onChange);
  const next = basename(below(there, folder));
  return tryWatch(there, (name) => name === null || name === next, onFolder);
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

/** The folder right below `above` on the way to `folder`. */
function below(above: string, folder: string): string {
  return dirname(folder) === above ? folder : below(above, dirname(folder));
}

/** Empty when the folder was removed or may not be read: it has nothing to watch. */
function tryWatch(folder: string, concerns: (name: string | null) => boolean, onChange: () => void): FSWatcher[] {
  try {
    return [watch(folder, { persistent: false }, (_, name) => (concerns(name) ? onChange() : undefined))];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES") return [];
    throw error;
  }
}
