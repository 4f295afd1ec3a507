import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { claudeCodeVersion } from "./versions.ts";

const run = promisify(execFile);

const packageName = "@anthropic-ai/claude-code";
const cache = resolve(import.meta.dirname, "../../node_modules/.cache/hookline-interop");

export type Client = { readonly path: string } | { readonly missing: string };

/**
 * Claude Code in the release of this run, installed from the package registry on first use and kept between runs.
 * Never throws; where Claude Code is not available, it returns the reason in one line.
 */
export async function findClient(): Promise<Client> {
  if (process.platform === "win32") return { missing: "the comparison needs POSIX process groups" };
  const folder = join(cache, `claude-code-${claudeCodeVersion}`);
  try {
    if (!existsSync(folder)) await install(folder);
    const path = await binaryIn(folder);
    const { stdout } = await run(path, ["--version"], { env: {}, timeout: 30_000 });
    if (!stdout.startsWith(claudeCodeVersion))
      return { missing: `${path} says it is ${stdout.trim()}, not ${claudeCodeVersion}` };
    return { path };
  } catch (error) {
    return { missing: `${packageName}@${claudeCodeVersion} could not be had: ${firstLine(error)}` };
  }
}

/** Installs into a temporary folder and moves it, so that an interrupted run leaves nothing incomplete. */
async function install(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const beside = await mkdtemp(`${folder}.`);
  try {
    // Install scripts stay off: they only move the platform's binary, which works where it is.
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--loglevel=error", "--fetch-retries=1"];
    await run("npm", ["install", "--prefix", beside, ...flags, `${packageName}@${claudeCodeVersion}`], {
      timeout: 300_000,
    });
    await binaryIn(beside);
    await rename(beside, folder);
  } catch (error) {
    await rm(beside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

async function binaryIn(folder: string): Promise<string> {
  const [scope, name] = packageName.split("/") as [string, string];
  const packages = join(folder, "node_modules", scope);
  for (const entry of await readdir(packages)) {
    const path = join(packages, entry, "claude");
    if (entry.startsWith(`${name}-`) && existsSync(path)) return path;
  }
  throw new Error(`no binary for ${process.platform}-${process.arch} in ${packages}`);
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("Command failed"));
  return lines[0] ?? text;
}
