import { lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandLine } from "../exec/internal.ts";
import { packageFile, processExists } from "../files/internal.ts";

/**
 * Node with its permission model: it can read every file, write to one folder, and start neither processes nor threads.
 * Node 20 has no flag for the network, so the child refuses it (`child/refuse-network.ts`).
 */
export function replayProcess(scratch: string, allowEffects: boolean): CommandLine {
  // The name before Node 22.13 was `--experimental-permission`.
  const hasFlag = process.allowedNodeEnvironmentFlags.has("--permission");
  const permission = hasFlag ? "--permission" : "--experimental-permission";
  const limits = [permission, "--allow-fs-read=*", `--allow-fs-write=${scratch}/`];
  const flags = allowEffects
    ? []
    : [...limits, "--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning"];
  return { form: "exec", file: process.execPath, args: [...flags, packageFile("dist/replay/child/main.cjs")] };
}

/** Variables that make Node write files or that lift the limits above. */
const removedVariables = [
  "NODE_OPTIONS",
  "NODE_V8_COVERAGE",
  "NODE_REDIRECT_WARNINGS",
  "NODE_COMPILE_CACHE",
  "NODE_TEST_CONTEXT",
];

/** The environment of the sandbox, with the temporary folder inside `scratch`. */
export function replayEnv(
  env: Readonly<Record<string, string | undefined>>,
  scratch: string,
): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(env).filter(([name]) => !removedVariables.includes(name));
  return { ...Object.fromEntries(kept), TMPDIR: `${scratch}/tmp`, TEMP: `${scratch}/tmp`, TMP: `${scratch}/tmp` };
}

/** Creates a private folder for one replay. Also removes the folders of replays that were killed. */
export async function makeScratch(folder: string = tmpdir()): Promise<string> {
  const temp = await realpath(folder);
  for (const name of await readdir(temp)) {
    const pid = Number(/^hookline-replay-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !processExists(pid)) await removeOwn(join(temp, name));
  }
  return mkdtemp(join(temp, `hookline-replay-${process.pid}-`));
}

/** Other users may have created a folder with such a name. */
async function removeOwn(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat?.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return;
  await rm(path, { recursive: true, force: true });
}
