import { lstat, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../files/index.ts";
import type { Answer, HookRef } from "../protocol/index.ts";
import type { Finished } from "./finish.ts";
import type { Firing } from "./firing.ts";
import type { Services } from "./world.ts";

/** The folder a hook made must be there, and may not be reached through `..` or a link below the project. */
export async function checkWorktree(
  answer: Answer,
  { payload }: Firing,
  services: Services,
  hook: HookRef,
): Promise<Finished> {
  const given = answer.output?.worktreePath;
  if (answer.verdict.kind === "deny" || answer.failure !== undefined) return { answer, warnings: [] };
  if (given === undefined) return refused(answer, "it gave no path", hook);
  const path = isAbsolute(given) ? given : resolve(String(payload["cwd"]), given);
  const fault = await faultOf(given, path, services.options.cwd);
  if (fault !== undefined) return refused(answer, `${given} ${fault}`, hook);
  return { answer: { ...answer, output: { ...answer.output, worktreePath: path } }, warnings: [] };
}

function refused(answer: Answer, why: string, hook: HookRef): Finished {
  const { worktreePath: _, ...output } = answer.output ?? {};
  const failure = `the worktree hook's answer cannot be used: ${why}`;
  return {
    answer: { ...answer, output, failure },
    warnings: [{ code: "worktree-invalid", message: `Hook ${hook.name}: ${failure}.`, place: hook.id }],
  };
}

async function faultOf(given: string, path: string, projectDir: string): Promise<string | undefined> {
  if (given.split(/[\\/]/).includes("..")) return "passes through ..";
  try {
    if (!(await stat(path)).isDirectory()) return "is no folder";
    return (await linkBelow(projectDir, path)) ? "passes through a link below the project" : undefined;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? "does not exist" : `cannot be looked at: ${String(error)}`;
  }
}

async function linkBelow(root: string, path: string): Promise<boolean> {
  const inside = relative(root, path);
  if (inside === "" || inside.startsWith("..") || isAbsolute(inside)) return false;
  let at = root;
  for (const part of inside.split(sep)) {
    at = join(at, part);
    if ((await lstat(at)).isSymbolicLink()) return true;
  }
  return false;
}
