import { lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandLine } from "../exec/internal.ts";
import { packageFile, processExists } from "../files/internal.ts";

/**
 * Node under its permission model: it reads what it likes, writes to one folder, and starts neither processes nor threads.
 * The network is closed from inside (`child/refuse-network.ts`), since Node 20 has no flag for it.
 */
export function replayProcess(scratch: string, allowEffects: boolean): CommandLine {
  const limits = [permissionFlag(), "--allow-fs-read=*", `--allow-fs-write=${scratch}/`];
  const flags = allowEffects
    ? []
    : [...limits, "--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning"];
  return { form: "exec", file: process.execPath, args: [...flags, packageFile("dist/replay/child/main.js")] };
}

/** It was called experimental until Node 22.13. */
function permissionFlag(): string {
  return process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
}

/** Variables that make Node itself write files, or lift the limits above. */
const unwanted = [
  "NODE_OPTIONS",
  "NODE_V8_COVERAGE",
  "NODE_REDIRECT_WARNINGS",
  "NODE_COMPILE_CACHE",
  "NODE_TEST_CONTEXT",
];

/** Temporary files go where they are allowed and thrown away. */
export function replayEnv(
  env: Readonly<Record<string, string | undefined>>,
  scratch: string,
): Readonly<Record<string, string | undefined>> {
  const kept = Object.entries(env).filter(([name]) => !unwanted.includes(name));
  return { ...Object.fromEntries(kept), TMPDIR: `${scratch}/tmp`, TEMP: `${scratch}/tmp`, TMP: `${scratch}/tmp` };
}

const prefix = "hookline-replay-";

/** A private folder that goes with the replay. Takes along what replays left that were killed. */
export async function makeScratch(folder: string = tmpdir()): Promise<string> {
  const temp = await realpath(folder);
  for (const name of await readdir(temp)) {
    const pid = Number(/^hookline-replay-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !processExists(pid)) await removeOwn(join(temp, name));
  }
  return mkdtemp(join(temp, `${prefix}${process.pid}-`));
}

/** A shared folder for temporary files may hold what others named like ours. */
async function removeOwn(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat?.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return;
  await rm(path, { recursive: true, force: true });
}
