import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** What there is to run below a project's `.claude`: programs for Node's own runner, and cases as data. */
export interface HookTests {
  readonly programs: readonly string[];
  readonly cases: readonly string[];
}

export async function findTests(project: string): Promise<HookTests> {
  const folder = join(project, ".claude");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      // A project without the folder has no tests; the caller says so.
      if (error.code === "ENOENT") return [];
      throw error;
    },
  );
  const files = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return {
    programs: files.filter(isProgram),
    cases: files.filter((file) => /^hooks-tests[\\/][^\\/]+\.json$/.test(relative(folder, file))),
  };
}

export function isProgram(file: string): boolean {
  return /\.test\.m?[jt]s$/.test(file);
}
