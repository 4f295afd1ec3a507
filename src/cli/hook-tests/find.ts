import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { Problem } from "../../protocol/index.ts";

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

/** The same for files that were named. Contract: a name that is neither is a problem that says what to do. */
export async function namedTests(files: readonly string[]): Promise<HookTests> {
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && (isProgram(file) || file.endsWith(".json"))) continue;
    const why = found === undefined ? "is not there" : found.isFile() ? "is no test" : "is no file";
    const hint = "Tests are called *.test.ts (.mts, .js, .mjs), cases *.json; --hooks names the hooks file.";
    throw new Problem("cli/bad-input", `${file} ${why}. ${hint}`, { about: { file } });
  }
  return { programs: files.filter(isProgram), cases: files.filter((file) => !isProgram(file)) };
}

function isProgram(file: string): boolean {
  return /\.test\.m?[jt]s$/.test(file);
}
