import { lstatSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { findLeftovers } from "../../exec/internal.ts";
import { errorCode, isInside, statePath, unsafeReason } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { ResolvedOptions } from "../options.ts";
import type { EffectiveSettings } from "../settings/snapshot.ts";
import { isFile } from "../trust/coverage/javascript.ts";
import { namedPaths } from "../trust/files-by-name.ts";
import { type Finding, finding } from "./finding.ts";

/** Files that decide what runs and that other users can change: settings, scripts of hooks, Hookline's state. */
export function safetyFindings({ layers, byEvent }: EffectiveSettings, options: ResolvedOptions): readonly Finding[] {
  const scripts = [...byEvent.values()].flat().flatMap(({ hook, layer }) => {
    if (hook.type !== "command") return [];
    const { command, args } = hook;
    const checkout = { cwd: options.cwd, real: options.cwd, home: options.home };
    return (namedPaths({ command, args, root: layer.plugin?.root }, checkout) ?? []).map((path) =>
      resolve(options.cwd, path),
    );
  });
  const state = statePath(options);
  const files = [...layers.flatMap(({ file }) => file ?? []), ...scripts.filter(isFile), state, `${state}/trust`];
  return [...new Set(files)].flatMap((file) => {
    const why = whyUnsafe(file);
    if (why === undefined) return [];
    const fix = `Allow only yourself to write it (chown, chmod go-w "${file}").`;
    return [finding("file-writable", `${file} decides what runs, but ${why}. ${fix}`, file)];
  });
}

function whyUnsafe(file: string): string | undefined {
  try {
    return unsafeReason(lstatSync(realpathSync(file)));
  } catch (error) {
    // The code that reads the file reports that it is missing.
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Hooks that run in every folder without approval. The user may not know that a program has added one. */
export function userHookFindings({ byEvent }: EffectiveSettings): readonly Finding[] {
  return [...byEvent.values()].flat().flatMap(({ ref, layer }) => {
    if (ref.source !== "user" && layer.frontmatter?.from !== "user") return [];
    const on = ref.matcher ? `${ref.event} [${ref.matcher}]` : ref.event;
    return [finding("user-hook", `${ref.name} runs on ${on} in every folder.`, ref.id)];
  });
}

/** Processes that hooks of this user in this folder left behind. Linux only: elsewhere the search would start a program. */
export async function leftoverFindings(options: ResolvedOptions): Promise<readonly Finding[]> {
  if (process.platform !== "linux") return [];
  const processes = await findLeftovers("HOOKLINE_RUN", "");
  return processes.flatMap(({ pid, name }) => {
    const folder = folderOf(pid, options);
    if (folder === undefined) return [];
    const message = `Process ${pid} (${name}) was started by a hook in ${folder} and is still running. To end it: kill ${pid}`;
    return [finding("leftover-process", message, String(pid))];
  });
}

/** The folder a process was started for; undefined when it belongs to another folder or home, or has exited. */
function folderOf(pid: number, options: ResolvedOptions): string | undefined {
  try {
    const env = environmentOf(pid);
    if (stateOf(env) !== statePath(options)) return undefined;
    const folder = env["CLAUDE_PROJECT_DIR"] ?? readlinkSync(`/proc/${pid}/cwd`);
    return isInside(folder, realpathSync(options.cwd)) ? folder : undefined;
  } catch (error) {
    // It has exited in the meantime, or belongs to another user.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Undefined when the environment of a process has no usable folder. */
function stateOf(env: Readonly<Record<string, string>>): string | undefined {
  try {
    return statePath({ env, home: env["HOME"] ?? "" });
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function environmentOf(pid: number): Readonly<Record<string, string>> {
  const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(lines.map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]));
}
