import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface Watched {
  readonly files: readonly string[];
  /** Of these, everything that is in them. */
  readonly folders: readonly string[];
}

const quietMs = 100;

/** Folders are watched rather than files: editors replace a file, and a file may not be there yet. */
export function watchFiles({ files, folders }: Watched, onChange: () => void): () => void {
  const names = new Map<string, Set<string> | "all">(folders.map((folder) => [folder, "all"]));
  for (const file of files) {
    const wanted = names.get(dirname(file)) ?? new Set<string>();
    if (wanted !== "all") names.set(dirname(file), wanted.add(basename(file)));
  }
  let timer: NodeJS.Timeout | undefined;
  const watchers = [...names].flatMap(([folder, wanted]) => {
    const watcher = tryWatch(folder, (name) => {
      if (name !== null && wanted !== "all" && !wanted.has(name)) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, quietMs);
    });
    return watcher === undefined ? [] : [watcher];
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** Undefined when the folder is not there: there is nothing in it to watch. */
function tryWatch(folder: string, onChange: (name: string | null) => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, (_, name) => onChange(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
