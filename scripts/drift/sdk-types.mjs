/** The type declarations of Claude Code's SDK in the release that goes with a release, from the package registry; kept between runs. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const name = "@anthropic-ai/claude-agent-sdk";
const cache = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "node_modules", ".cache", "hookline-interop");

/** The text of `sdk.d.ts`, or why it is not available. Client 2.1.N belongs to SDK 0.3.N; the package names its client. */
export function sdkTypes(client) {
  const release = `0.3.${client.split(".").at(-1)}`;
  const folder = join(cache, `agent-sdk-${release}`);
  if (!existsSync(folder)) {
    const problem = install(folder, release);
    if (problem !== undefined) return { missing: problem };
  }
  const home = join(folder, "node_modules", name);
  const { claudeCodeVersion } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  if (claudeCodeVersion !== client) return { missing: `${name}@${release} is for client ${claudeCodeVersion}` };
  return { text: readFileSync(join(home, "sdk.d.ts"), "utf8") };
}

function install(folder, release) {
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  const flags = [
    "--ignore-scripts",
    "--omit=optional",
    "--legacy-peer-deps",
    "--no-audit",
    "--no-fund",
    "--no-save",
    "--loglevel=error",
  ];
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status, stderr } = spawnSync(npm, ["install", "--prefix", unfinished, ...flags, `${name}@${release}`], {
    encoding: "utf8",
    timeout: 300_000,
  });
  if (status === 0) renameSync(unfinished, folder);
  else rmSync(unfinished, { recursive: true, force: true });
  return status === 0 ? undefined : `${name}@${release} cannot be installed: ${stderr.trim().split("\n").at(-1)}`;
}
