import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import { dirname } from "node:path";
import type { Env } from "../app/run-environment.ts";

export interface DetachedOptions {
  readonly cwd: string;
  readonly env: Env;
  /** Called when the system cannot start it. */
  readonly onError: (error: Error) => void;
}

/**
 * Starts a Node program that outlives this process.
 *
 * Contract: it has a session of its own and inherits no file descriptors, because a host waits until every copy of its pipe is closed. It
 * does not inherit `HOOKLINE_RUN`, or the cleanup at the end of this run would end it.
 */
export function startDetached([program, ...args]: readonly [string, ...string[]], options: DetachedOptions): void {
  // Not imported: a hook process loads this module and rarely starts a program.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { HOOKLINE_RUN: _run, ...env } = options.env;
  const cwd = existsSync(options.cwd) ? options.cwd : dirname(program);
  const nothing = openSync(devNull, "r+");
  try {
    const stdio = maskDescriptors(inheritedDescriptors(), nothing);
    const child = spawn(process.execPath, [program, ...args], { cwd, env, detached: true, stdio, windowsHide: true });
    child.on("error", options.onError);
    child.unref();
  } finally {
    closeSync(nothing);
  }
}

/** Replaces inherited descriptors by one of the null device. */
function maskDescriptors(passed: readonly number[], nothing: number): ("ignore" | number)[] {
  const stdio = Array.from({ length: Math.max(3, ...passed.map((fd) => fd + 1)) }, (): "ignore" | number => "ignore");
  for (const fd of passed) stdio[fd] = nothing;
  return stdio;
}

/** Descriptors that this process inherited without close-on-exec. Node sets that flag on the lowest ones only. */
function inheritedDescriptors(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > 2 && !closesOnExec(fd));
}

const closeOnExec = 0o2000000;

function closesOnExec(fd: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) !== 0;
  } catch {
    return true; // closed since the list was made
  }
}
