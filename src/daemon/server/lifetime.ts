import { readFileSync } from "node:fs";
import { processStart } from "../../files/internal.ts";
import { isAlive } from "../record-file.ts";
import type { WarmApp } from "./warm-app.ts";

export interface IdleOptions {
  readonly idleMs: number;
  /** Asked once it has been quiet for that long. */
  readonly busy: () => Promise<boolean>;
  readonly leave: () => void;
}

/** Calls `leave` when nothing was asked for `idleMs` and nobody is left who might. */
export function watchIdle({ idleMs, busy, leave }: IdleOptions): { touch(): void; end(): void } {
  let last = performance.now();
  let asking = false;
  const isQuiet = () => performance.now() - last >= idleMs;
  const look = async () => {
    if (asking || !isQuiet()) return;
    asking = true;
    const isBusy = await busy().finally(() => {
      asking = false;
    });
    // Somebody may have called while we asked.
    if (!isBusy && isQuiet()) leave();
  };
  const timer = setInterval(() => void look(), Math.max(50, Math.min(idleMs / 4, 60_000)));
  timer.unref();
  return {
    touch() {
      last = performance.now();
    },
    end: () => clearInterval(timer),
  };
}

/** The agents that this daemon has answered: as long as one of them lives, its http entries need somebody there. */
interface KnownAgents {
  noteAgent(pid: number): void;
  /** Whether any of them still runs. */
  anyAlive(): boolean;
}

/** Looking at a process costs more than answering; but its number may be another's after a while. */
const lookAgainMs = 60_000;
/** A hook in shell form has another number with every call. */
const mostSeen = 1_000;

export function openKnownAgents(): KnownAgents {
  const known = new Map<number, { pid: number; start: string }>();
  const seen = new Map<number, number>();
  return {
    noteAgent(pid) {
      const now = performance.now();
      if (now - (seen.get(pid) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return;
      if (seen.size >= mostSeen) seen.clear();
      seen.set(pid, now);
      const host = agentBehindShells(pid);
      const start = (processStart(host) ?? "").replace(/[^0-9a-zA-Z]/g, "");
      if (host > 1) known.set(host, { pid: host, start });
    },
    anyAlive() {
      for (const [pid, one] of known) if (!isAlive(one)) known.delete(pid);
      return known.size > 0;
    },
  };
}

/** A hook in shell form is called by a shell that ends with the call; who called that is the host. */
function agentBehindShells(pid: number): number {
  let at = pid;
  for (let steps = 0; steps < 4; steps++) {
    const { name, parent } = look(at);
    if (parent === undefined || !/^(?:sh|bash|dash|zsh|ksh|ash|busybox|hookline-client)$/.test(name)) return at;
    at = parent;
  }
  return at;
}

function look(pid: number): { name: string; parent?: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    return { name: text.slice(text.indexOf("(") + 1, end), parent: Number(text.slice(end + 2).split(" ")[1]) };
  } catch {
    return { name: "" }; // not Linux, or exited: the given number is used
  }
}

/** How long calls that have begun may go on once their server is to leave. */
const drainMs = 5_000;
/** And how long handlers have that listen to their signal. */
const lastWordMs = 500;

/** Waits for the open calls of an app. Calls that take too long are aborted and get a moment to answer. */
export async function drainCalls(app: WarmApp, ending: AbortController): Promise<void> {
  await waitUntilIdle(app, drainMs);
  if (app.open === 0) return;
  ending.abort();
  await waitUntilIdle(app, lastWordMs);
}

async function waitUntilIdle(app: WarmApp, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (app.open > 0 && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
}
