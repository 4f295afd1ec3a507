import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { attempt } from "../protocol/internal.ts";
import { sha256 } from "./disk.ts";

/**
 * Identifies a process: a pid alone is reused, a pid with its start time is not.
 * `machine`, `boot` and `space` (the process namespace) say where that number means something; what a system cannot tell
 * is empty. `host` is for people: a laptop may be called otherwise in the next network.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly host: string;
  readonly machine: string;
  readonly boot: string;
  readonly space: string;
  /** A worker thread may end long before its process does: its id and start time, where the system reports them. */
  readonly thread?: string;
}

let own: ProcessIdentity | undefined;

/** This process, or this thread of it. */
export function ownIdentity(): ProcessIdentity {
  own ??= {
    ...ownThread(),
    pid: process.pid,
    start: startTag(process.pid) ?? "",
    host: hostname(),
    machine: textOf("/etc/machine-id") ?? "",
    boot: textOf("/proc/sys/kernel/random/boot_id") ?? "",
    space: linkOf("/proc/self/ns/pid") ?? "",
  };
  return own;
}

/**
 * Contract: `dead` only when that process is surely gone. One on another host or in a namespace we cannot look into
 * is `unknown`, and unknown counts as alive.
 */
export function livenessOf(
  owner: ProcessIdentity,
  self: ProcessIdentity = ownIdentity(),
): "alive" | "dead" | "unknown" {
  const sameBoot = owner.boot !== "" && owner.boot === self.boot;
  if (!sameBoot && !isSameMachine(owner, self)) return "unknown";
  if (owner.boot !== self.boot) return "dead";
  if (owner.space !== self.space) return "unknown";
  if (!processExists(owner.pid) || hasEnded(owner.pid)) return "dead";
  const start = startTag(owner.pid);
  if (start === undefined || owner.start === "") return "alive";
  if (start !== owner.start) return "dead";
  return owner.thread === undefined || isThread(owner.pid, owner.thread) ? "alive" : "dead";
}

/** Linux only: elsewhere a thread that was ended with a lock in its hands holds it until its process ends. */
function ownThread(): { readonly thread?: string } {
  const [pid, , thread] = linkOf("/proc/thread-self")?.split("/") ?? [];
  if (pid !== String(process.pid) || thread === undefined || thread === pid) return {};
  const tag = threadTag(process.pid, thread);
  return tag === undefined ? {} : { thread: tag };
}

function threadTag(pid: number, thread: string): string | undefined {
  const start = statFields(`${pid}/task/${thread}`)?.[19];
  return start === undefined ? undefined : `${thread}-${start}`;
}

function isThread(pid: number, tag: string): boolean {
  const [thread = ""] = tag.split("-", 1);
  // What is there but cannot be read now counts as alive.
  return existsSync(`/proc/${pid}/task/${thread}`) && (threadTag(pid, thread) ?? tag) === tag;
}

function isSameMachine(one: ProcessIdentity, other: ProcessIdentity): boolean {
  if (one.machine !== "" && other.machine !== "") return one.machine === other.machine;
  return one.host === other.host;
}

/**
 * When a process started, in the system's own spelling: on Linux field 22 of `/proc/<pid>/stat`, elsewhere what `ps` says.
 * Undefined when there is no such process or no way to ask.
 */
export function processStart(pid: number): string | undefined {
  if (process.platform === "linux") return statFields(String(pid))?.[19];
  if (process.platform === "win32") return undefined;
  // Loaded here alone: Linux does not need it, and every hook and status line would pay for it.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  // ps ends with status 1 when there is no such process.
  const printed = attempt(() =>
    execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }),
  );
  return printed?.trim() || undefined;
}

/** A start time as part of a file name. */
function startTag(pid: number): string | undefined {
  return processStart(pid)?.replace(/[^0-9a-zA-Z]/g, "");
}

/** Short text for a file's name: equal for processes that can judge each other's life. */
export function machineTag(owner: ProcessIdentity): string {
  return sha256(`${owner.machine || owner.host}\n${owner.boot}\n${owner.space}`).slice(0, 12);
}

/** An owner from JSON; undefined when it is not one. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { pid, start, host, machine, boot, space, thread } = value as Record<string, unknown>;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (typeof start !== "string" || typeof host !== "string" || typeof machine !== "string") return undefined;
  if (typeof boot !== "string" || typeof space !== "string") return undefined;
  return { pid, start, host, machine, boot, space, ...(typeof thread === "string" ? { thread } : {}) };
}

/** Includes processes of other users. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * A killed process keeps its number until its parent asks for it; it writes no more once its last thread has ended.
 * Until then a thread that waits for the disk may still finish what it began, such as a rename.
 */
function hasEnded(pid: number): boolean {
  const fields = process.platform === "linux" ? statFields(String(pid)) : undefined;
  const [letter, threads] = [fields?.[0], Number(fields?.[17])];
  return letter === "X" || (letter === "Z" && threads <= 1);
}

/** The fields from the third on: the second is the program's name in brackets and may hold anything. */
function statFields(whose: string): string[] | undefined {
  const text = textOf(`/proc/${whose}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Undefined when this is not Linux, or the process has just ended: callers treat it as unknown. */
function textOf(path: string): string | undefined {
  return attempt(() => readFileSync(path, "utf8").trim());
}

function linkOf(path: string): string | undefined {
  return attempt(() => readlinkSync(path));
}
