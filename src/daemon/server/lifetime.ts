import { readFileSync, stat } from "node:fs";
import { isDaemonAlive, processStart, startTag } from "../../files/internal.ts";
import { attempt, messageOf } from "../../protocol/internal.ts";
import { releaseBlockedPipes } from "../../sdk/internal.ts";
import type { WarmApp } from "./warm-app.ts";

/** Calls `leave` when no call came for `idleMs` and `busy` returns false, which is called only then. A failure of `busy` is reported once. */
export function watchIdle(
  idleMs: number,
  busy: () => Promise<boolean>,
  leave: () => void,
  complain: (line: string) => void,
) {
  let last = performance.now();
  let asking = false;
  let reported = "";
  const isQuiet = () => performance.now() - last >= idleMs;
  const look = async () => {
    if (asking || !isQuiet()) return;
    asking = true;
    const isBusy = await busy().catch((error: unknown) => {
      const line = `The daemon keeps running, because it cannot tell whether it is still needed: ${messageOf(error)}`;
      if (line !== reported) complain(line);
      reported = line;
      return true;
    });
    asking = false;
    // A call may have come meanwhile.
    if (!isBusy && isQuiet()) leave();
  };
  const timer = setInterval(() => void look(), Math.max(50, Math.min(idleMs / 4, 60_000)));
  timer.unref();
  return {
    touch(): void {
      last = performance.now();
    },
    end: (): void => clearInterval(timer),
  };
}

/**
 * All handlers share Node's four threads for files and host names. When each of them is taken, those that wait for the writer of a named pipe
 * are released. Returns a function that ends this.
 */
export function watchFileThreads(isBusy: () => boolean, everyMs = 500): () => void {
  let isWaiting = false;
  const timer = setInterval(() => {
    if (isWaiting) return attempt(releaseBlockedPipes);
    if (!isBusy()) return;
    isWaiting = true;
    stat("/", () => {
      isWaiting = false;
    });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Looking up a process costs more than answering. It is repeated, because another process may get its number. */
const lookAgainMs = 60_000;
/** A hook in shell form has another number with every call. */
const mostSeen = 1_000;

/** The agents that this daemon has answered. While one of them runs, its http entries need a server. */
export function openKnownAgents() {
  /** When each process was started, by its number. */
  const known = new Map<number, string>();
  const seen = new Map<number, number>();
  return {
    noteAgent(pid: number): void {
      const now = performance.now();
      if (now - (seen.get(pid) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return;
      if (seen.size >= mostSeen) seen.clear();
      seen.set(pid, now);
      const host = agentBehindShells(pid);
      if (host > 1) known.set(host, startTag(processStart(host) ?? ""));
    },
    /** Whether any of them still runs. */
    anyAlive(): boolean {
      for (const [pid, start] of known) if (!isDaemonAlive({ pid, start })) known.delete(pid);
      return known.size > 0;
    },
  };
}

/** A hook in shell form is called by a shell that ends with the call; the host is the process that started the shell. */
function agentBehindShells(pid: number): number {
  let at = pid;
  for (let steps = 0; steps < 4; steps++) {
    const found = look(at);
    if (!/^(?:sh|bash|dash|zsh|ksh|ash|busybox|hookline-client)$/.test(found?.name ?? "")) return at;
    at = found?.parent ?? at;
  }
  return at;
}

/** Undefined when it has exited, and on systems other than Linux. */
function look(pid: number): { name: string; parent: number } | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === undefined) return undefined;
  const end = text.lastIndexOf(")");
  return { name: text.slice(text.indexOf("(") + 1, end), parent: Number(text.slice(end + 2).split(" ")[1]) };
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
