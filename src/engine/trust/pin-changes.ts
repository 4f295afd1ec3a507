import { statSync } from "node:fs";

type Listener = () => Promise<void>;

/** Who in this process wants to know when the approvals in a file change. */
const listeners = new Map<string, Set<Listener>>();

/** Calls `listener` whenever this process changes approvals in one of the files; returns the end of it. */
export function onPinsChanged(files: readonly string[], listener: Listener): () => void {
  for (const file of files) listeners.set(file, (listeners.get(file) ?? new Set()).add(listener));
  return () => {
    for (const file of files) {
      const left = listeners.get(file);
      left?.delete(listener);
      if (left?.size === 0) listeners.delete(file);
    }
  };
}

/** Contract: resolves when every engine of this process goes by the new approvals. */
export async function pinsChanged(file: string): Promise<void> {
  await Promise.all([...(listeners.get(file) ?? [])].map((listener) => listener()));
}

/** By what a change of approvals shows that another process made. */
export function pinMarks(files: readonly string[]): string {
  return files
    .map((file) => {
      try {
        const stat = statSync(file, { throwIfNoEntry: false });
        return stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
      } catch (error) {
        // The reader of approvals reports why it cannot be read.
        const { code } = error as NodeJS.ErrnoException;
        if (code === undefined) throw error;
        return code;
      }
    })
    .join("\n");
}
