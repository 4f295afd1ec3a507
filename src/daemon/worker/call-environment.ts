import { readFileSync } from "node:fs";
import { attempt } from "../../protocol/internal.ts";
import type { RunEnvironment } from "../../sdk/internal.ts";
import type { HookRequest } from "./messages.ts";

/** The environment of the caller; the daemon's own for a caller that sends none. */
export function callEnvironment({ env, envOf }: HookRequest): RunEnvironment["env"] {
  const block = env ?? (envOf > 0 ? environmentOf(envOf) : undefined);
  return block === undefined ? process.env : readEnv(block);
}

/** Contract: undefined when that process is not a client of ours, so that no caller is answered with a stranger's environment. */
export function environmentOf(pid: number): string | undefined {
  // Both fail when it has exited, belongs to another user, or the system has no /proc.
  const commandLine = attempt(() => readFileSync(`/proc/${pid}/cmdline`, "latin1"));
  if (!commandLine?.includes("hookline-client")) return undefined;
  return attempt(() => readFileSync(`/proc/${pid}/environ`, "utf8"));
}

/** Entries end with NUL; a shell cannot hold NUL and ends them with \x01. */
function readEnv(block: string): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  for (const entry of block.split(block.includes("\0") ? "\0" : "\x01")) {
    const at = entry.indexOf("=", 1);
    if (at > 0) env[entry.slice(0, at)] = entry.slice(at + 1);
  }
  return env;
}
