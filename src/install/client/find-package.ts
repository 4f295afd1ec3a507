import { existsSync, realpathSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import {
  type Env,
  type HomeSource,
  ignoringErrors,
  npmInstallCommand,
  openState,
  readRegularFile,
  tempName,
} from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { InstallScope } from "../plan/install-places.ts";

interface PackageSearch {
  readonly scope: InstallScope;
  /** The project's folder. */
  readonly root: string;
  /** The package that runs now. */
  readonly running: string;
  readonly home: HomeSource;
  readonly dryRun: boolean;
}

/**
 * The package that entries will call. In project scope it is the project's own, since others get the entries too; else the one that
 * runs now, copied first when it is in npx's cache, which is cleared without warning.
 */
export async function findPackage({ scope, root, running, home, dryRun }: PackageSearch): Promise<string> {
  if (scope === "project") return projectPackage(root);
  const modules = dirname(running);
  const inNpxCache = /[\\/]_npx[\\/][^\\/]+[\\/]node_modules$/.test(modules);
  if (!inNpxCache) return running;
  return dryRun ? join(modules, "hookline") : copyFromNpxCache(modules, `hookline-${versionIn(running)}`, home);
}

function projectPackage(root: string): string {
  const own = join(root, "node_modules", "hookline");
  if (existsSync(join(own, "package.json"))) return own;
  // A checkout of this very package is its own dependency.
  if (existsSync(join(root, "package.json")) && manifestOf(root)["name"] === "hookline") return root;
  const message = `${root} does not have hookline, which entries in project scope call. Run ${npmInstallCommand()} there, or use --scope local.`;
  throw new Problem("install/no-dependency", message, { about: { root } });
}

/** Copies the package with everything it needs: in that cache, all packages are in one folder. */
async function copyFromNpxCache(modules: string, name: string, home: HomeSource): Promise<string> {
  const target = join(await openState(["packages"], home), name);
  const found = join(target, "node_modules", "hookline");
  if (existsSync(join(found, "package.json"))) return found;
  const temp = tempName(target);
  try {
    await cp(modules, join(temp, "node_modules"), { recursive: true, verbatimSymlinks: true });
    // Another install may have been faster; its copy is as good.
    await ignoringErrors(["ENOTEMPTY", "EEXIST"], rename(temp, target));
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
  return found;
}

/** Why the client cannot run here; undefined when it can. Bash runs the app when no daemon answers. */
export function clientObstacle(packageRoot: string, env: Env, shell?: string): string | undefined {
  const script = join(packageRoot, "client", "hookline-client");
  return existsSync(script) ? bashObstacle(env, shell) : `${script} does not exist`;
}

/** Where each form of the client looks for bash. They do not search PATH, which a project's scripts may change. */
export const clientShell = "/bin/bash";

/** Some systems have a bash in PATH and none in its usual place: there a client could not run the app, and its guard would be off. */
export function bashObstacle(env: Env, shell: string = clientShell): string | undefined {
  if (!existsSync(shell)) return `there is no bash at ${shell}`;
  return findProgram("bash", env) === undefined ? "there is no bash in PATH" : undefined;
}

/** Relative folders of PATH are passed over: they depend on the current directory. */
export function findProgram(
  name: string,
  { PATH = "" }: Env,
  accept: (folder: string) => boolean = () => true,
): string | undefined {
  const folders = PATH.split(delimiter).filter((folder) => isAbsolute(folder) && accept(folder));
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

function versionIn(packageRoot: string): string {
  const { version } = manifestOf(packageRoot);
  // It becomes a folder's name.
  return typeof version === "string" && /^[0-9A-Za-z.+-]+$/.test(version) ? version : "unknown";
}

function manifestOf(folder: string): Readonly<Record<string, unknown>> {
  const text = readRegularFile(join(realpathSync(folder), "package.json")).toString("utf8");
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
