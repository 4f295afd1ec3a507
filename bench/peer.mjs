import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const cache = resolve(import.meta.dirname, "../node_modules/.cache/hookline-bench");

/** The folder of a peer package, installed once outside of the project: it is never a dependency. */
export function peerFolder(name, version, say) {
  const folder = join(cache, `${name.replaceAll("/", "+")}@${version}`);
  const installed = join(folder, "node_modules", name);
  if (existsSync(join(folder, ".complete"))) return installed;
  say(`installing ${name}@${version} to measure against`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", `${name}@${version}`];
  const { status, stderr } = spawnSync(npm, args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${name}@${version} could not be installed: ${stderr}`);
  writeFileSync(join(folder, ".complete"), "");
  return installed;
}

export function peerModule(folder, path) {
  return import(pathToFileURL(join(folder, path)).href);
}

/** The native program of ccusage, without its launcher, which only finds and starts it. */
export function peerProgram(say) {
  const program = join(
    peerFolder(`@ccusage/ccusage-${process.platform}-${process.arch}`, "20.0.24", say),
    "bin",
    process.platform === "win32" ? "ccusage.exe" : "ccusage",
  );
  // The launcher would make it executable.
  chmodSync(program, 0o755);
  return program;
}
