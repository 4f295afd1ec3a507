import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";

export interface WatchedPaths {
  readonly files: readonly string[];
  /** Every change inside these counts. */
  readonly folders: readonly string[];
}

const debounceMs = 100;

/**
 * Watches folders rather than files, since editors replace a file and a file may not exist yet. For a folder that does not exist yet,
 * its nearest existing parent is watched. Returns the function that stops watching.
 */
export function watchFiles({ files, folders }: WatchedPaths, onChange: () => void): () => void {
  const namesByFolder = new Map<string, ReadonlySet<string> | "all">(folders.map((folder) => [folder, "all"]));
  for (const file of files) {
    const names = namesByFolder.get(dirname(file)) ?? new Set<string>();
    if (names !== "all") namesByFolder.set(dirname(file), new Set([...names, basename(file)]));
  }
  let timer: NodeJS.Timeout | undefined;
  let watchers: readonly FSWatcher[] = startWatchers();

  function startWatchers(): readonly FSWatcher[] {
    return [...namesByFolder].flatMap(([folder, names]) => watchFolder(folder, names));
  }

  function watchFolder(folder: string, names: ReadonlySet<string> | "all"): FSWatcher[] {
    const existing = nearestExisting(folder);
    if (existing === folder) return tryWatch(folder, (name) => names === "all" || names.has(name), reportChange);
    const [missing] = relative(existing, folder).split(sep);
    return tryWatch(existing, (name) => name === missing, onFolderCreated);
  }

  function reportChange(): void {
    clearTimeout(timer);
    timer = setTimeout(onChange, debounceMs);
  }

  function onFolderCreated(): void {
    for (const watcher of watchers) watcher.close();
    watchers = startWatchers();
    reportChange();
  }

  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

/** Empty when the folder was removed or may not be read. A change whose name the system does not report always counts. */
function tryWatch(folder: string, isWatched: (name: string) => boolean, onChange: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name === null || isWatched(name)) onChange();
    });
    return [watcher];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES") return [];
    throw error;
  }
}
