import type { Ledger } from "../ledger/ledger.ts";

/** Which project a folder of transcripts belongs to, by folder name and root. */
export interface Projects {
  /** The project of a file: where its sessions ran, or the folder's name when no line says. */
  of(file: number): string;
}

/**
 * A folder's project is the working directory that its files name most often as their first one; the folder's name cannot be
 * turned back into a path. `map` joins folders and worktrees under one name.
 */
export function projectsOf(ledger: Ledger, map: Readonly<Record<string, string>> = {}): Projects {
  const counts = new Map<string, Map<string, number>>();
  for (const file of ledger.files) {
    const cwd = file.told.cwd;
    if (cwd === undefined) continue;
    const folder = keyOf(file);
    const known = counts.get(folder) ?? new Map<string, number>();
    known.set(cwd, (known.get(cwd) ?? 0) + 1);
    counts.set(folder, known);
  }
  const names = ledger.files.map((file) => {
    const cwds = [...(counts.get(keyOf(file)) ?? [])].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const project = cwds[0]?.[0] ?? file.project;
    return map[project] ?? map[file.project] ?? project;
  });
  return { of: (file) => names[file] ?? "" };
}

function keyOf({ root, project }: { readonly root: string; readonly project: string }): string {
  return `${root}\0${project}`;
}
