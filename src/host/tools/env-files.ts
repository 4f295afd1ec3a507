import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../exec/index.ts";
import { unless } from "../../files/index.ts";
import type { ToolContext } from "./tool.ts";

/** The env files in a session's folder `session-env/<session>`, in the order in which they were last written. */
export async function envFilesOf(folder: string): Promise<string[]> {
  const names = (await unless(["ENOENT"], readdir(folder))) ?? [];
  const files: { path: string; writtenAt: number }[] = [];
  for (const name of names.filter((one) => /^[a-z]+-hook-\d+\.sh$/.test(one)).sort(byNumber)) {
    const path = join(folder, name);
    const found = await unless(["ENOENT"], stat(path));
    if (found?.isFile() && found.size > 0) files.push({ path, writtenAt: found.mtimeMs });
  }
  return files.sort((a, b) => a.writtenAt - b.writtenAt).map(({ path }) => path);
}

/** Which env files bash can read. Of one that it cannot, the person hears once; another version of it is tried again. */
export interface EnvFileCheck {
  usable(context: ToolContext): Promise<readonly string[]>;
  /** It ended the shell, so it is left out from now on. */
  drop(path: string, context: ToolContext): Promise<void>;
}

export function openEnvFileCheck(): EnvFileCheck {
  const verdicts = new Map<string, boolean>();

  async function usable(context: ToolContext): Promise<readonly string[]> {
    const good: string[] = [];
    for (const path of await context.envFiles()) {
      const version = await versionOf(path);
      if (!verdicts.has(version)) {
        const fault = await faultOf(path, context);
        verdicts.set(version, fault === undefined);
        if (fault !== undefined) context.tell(`The env file ${path} is left out: ${fault}`);
      }
      if (verdicts.get(version)) good.push(path);
    }
    return good;
  }

  async function drop(path: string, context: ToolContext): Promise<void> {
    verdicts.set(await versionOf(path), false);
    context.tell(`The env file ${path} is left out: it ends the shell.`);
  }

  return { usable, drop };
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

async function versionOf(path: string): Promise<string> {
  const found = await unless(["ENOENT"], stat(path));
  return `${path} ${found?.mtimeMs} ${found?.size} ${found?.ino}`;
}

/** `bash -n` reads without running. */
async function faultOf(path: string, { env, cwd, signal }: ToolContext): Promise<string | undefined> {
  const args = ["--noprofile", "--norc", "-n", path];
  const options = { cwd: cwd(), env: { ...env, BASH_ENV: undefined }, timeoutMs: 5_000, signal };
  const { ended, stderr } = await run({ form: "exec", file: "/bin/bash", args }, options);
  if (ended.by === "exit" && ended.code === 0) return undefined;
  return stderr.text.trim().split("\n")[0] || `bash could not read it (${ended.by})`;
}
