import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { ignoringErrors } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";

/** The tests of a project: programs for Node's test runner, and cases as data. */
export interface HookTests {
  readonly programs: readonly string[];
  readonly cases: readonly string[];
}

export async function findTests(project: string): Promise<HookTests> {
  const folder = join(project, ".claude");
  // A project without .claude has no tests.
  const entries = await ignoringErrors(["ENOENT"], readdir(folder, { recursive: true, withFileTypes: true }));
  const files = (entries ?? [])
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return {
    programs: files.filter(isProgram),
    cases: files.filter((file) => /^hooks-tests[\\/][^\\/]+\.json$/.test(relative(folder, file))),
  };
}

/** The tests in named files. Throws a `Problem` for a file that is neither a program nor cases. */
export async function namedTests(files: readonly string[]): Promise<HookTests> {
  for (const file of files) {
    const status = await stat(file).catch(() => undefined);
    if (status?.isFile() && (isProgram(file) || file.endsWith(".json"))) continue;
    const why = status === undefined ? "does not exist" : status.isFile() ? "is not a test" : "is not a file";
    const hint = "Tests are named *.test.ts (.mts, .js, .mjs), cases *.json. Use --hooks for the hooks file.";
    throw new Problem("cli/bad-input", `${file} ${why}. ${hint}`);
  }
  return { programs: files.filter(isProgram), cases: files.filter((file) => !isProgram(file)) };
}

function isProgram(file: string): boolean {
  return /\.test\.m?[jt]s$/.test(file);
}
