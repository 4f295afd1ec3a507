import { readFileSync } from "node:fs";
import { processStart } from "../../files/internal.ts";
import { isAlive } from "../record-file.ts";

/** The agents that this daemon has answered: as long as one of them lives, its http entries need somebody there. */
export interface Hosts {
  saw(pid: number): void;
  /** Whether any of them still runs. */
  anyAlive(): boolean;
}

/** Looking at a process costs more than answering; but its number may be another's after a while. */
const lookAgainMs = 60_000;
/** A hook in shell form has another number with every call. */
const mostSeen = 1_000;

export function openHosts(): Hosts {
  const known = new Map<number, { pid: number; start: string }>();
  const seen = new Map<number, number>();
  return {
    saw(pid) {
      const now = performance.now();
      if (now - (seen.get(pid) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return;
      if (seen.size >= mostSeen) seen.clear();
      seen.set(pid, now);
      const host = beyondShells(pid);
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
function beyondShells(pid: number): number {
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
    return { name: "" }; // not Linux, or gone: the number that was told has to do
  }
}
