import { existsSync } from "node:fs";
import { access, constants, lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { run } from "../exec/index.ts";
import { unless } from "../files/index.ts";
import { shippedClient } from "./client-in-place.ts";
import { findProgram } from "./package-place.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A package, as the entries of a project name it. */
export interface ProjectPackage {
  /** The project's folder. */
  readonly root: string;
  readonly packageRoot: string;
}

/** Whether npm or its like put it there for this project alone, and would again: no link, no checkout, no workspace. */
export async function isOwnCopy({ root, packageRoot }: ProjectPackage): Promise<boolean> {
  if (!existsSync(packageRoot)) return false;
  const [project, real] = [await realpath(root), await realpath(packageRoot)];
  return real.startsWith(join(project, "node_modules") + sep) && basename(dirname(real)) === "node_modules";
}

/**
 * Why the program must not lie in the script's place, though it would start sooner there; undefined when it may. Only a copy of the
 * project's own is changed, and only where no other machine or system gets it from here. Starts nothing.
 */
export async function whyNotInPlace(place: ProjectPackage): Promise<string | undefined> {
  if (!(await isOwnCopy(place))) return `${place.packageRoot} is not a copy of its own`;
  const client = shippedClient(await realpath(place.packageRoot));
  for (const path of [client, dirname(client)]) {
    const { uid } = await lstat(path);
    if (process.getuid !== undefined && uid !== process.getuid()) return `${path} belongs to another user`;
    if (!(await mayWrite(path))) return `${path} cannot be written`;
  }
  // A program for one system that another system finds there could not be started, and the guard would be off.
  return existsSync(join(place.root, ".devcontainer"))
    ? "a container (.devcontainer) may use the same files"
    : undefined;
}

async function mayWrite(path: string): Promise<boolean> {
  const may = access(path, constants.W_OK).then(() => true);
  return (await unless(["EACCES", "EPERM", "EROFS"], may)) ?? false;
}

/** Whether others get these very files with the project. */
export async function isInGit({ root, packageRoot }: ProjectPackage, { PATH, HOME }: Env): Promise<boolean> {
  const git = findProgram("git", { PATH }, (folder) => !folder.split(sep).includes("node_modules"));
  if (git === undefined) return false;
  const args = ["-c", "core.fsmonitor=false", "ls-files", "--error-unmatch", "--", shippedClient(packageRoot)];
  const { ended } = await run({ form: "exec", file: git, args }, { cwd: root, env: { PATH, HOME }, timeoutMs: 10_000 });
  return ended.by === "exit" && ended.code === 0;
}
