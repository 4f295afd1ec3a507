import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A home and a project of its own, in a temporary folder. */
export interface World {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  remove(): Promise<void>;
}

export async function makeWorld(files: Readonly<Record<string, string>> = {}): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookline-interop-")));
  const home = join(root, "home");
  const project = join(root, "project");
  await mkdir(home);
  await mkdir(project);
  await writeFiles(project, files);
  // A client that was just asked to exit may still be writing its last file.
  return {
    root,
    home,
    project,
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
  }
}

/** The visible files of a project by name, without those in folders that begin with a dot. */
export async function filesIn(project: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const entries = await readdir(project, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(project.length + 1);
    if (entry.isFile() && !name.startsWith(".")) found[name] = await readFile(path, "utf8");
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}
