import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { liesUnder } from "../safe-paths.ts";

export interface Found {
  readonly name: string;
  readonly path: string;
  readonly folder: boolean;
}

/** What lies in a folder, by name. A link is followed only if it stays under `root`; a folder that is not there is empty. */
export async function look(root: string, folder: string): Promise<Found[]> {
  const found: Found[] = [];
  for (const dirent of await namesIn(folder)) {
    const path = join(folder, dirent.name);
    const kind = dirent.isSymbolicLink() ? await behindLink(root, path) : kindOf(dirent);
    if (kind !== undefined) found.push({ name: dirent.name, path, folder: kind === "folder" });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function namesIn(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw error;
  }
}

async function behindLink(root: string, path: string): Promise<"file" | "folder" | undefined> {
  try {
    if (!liesUnder(root, await realpath(path))) return undefined;
    return kindOf(await stat(path));
  } catch {
    // A link to nothing is nothing to read.
    return undefined;
  }
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): "file" | "folder" | undefined {
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : undefined;
}
