import os from "node:os";
import traceEvents from "node:trace_events";
import v8 from "node:v8";
import { Denied } from "./denied.ts";
import type { EffectLog } from "./effect-log.ts";

/** What is neither file, process nor network, and reaches out of this process all the same. */
export async function refuseOthers(log: EffectLog): Promise<void> {
  const refuse = (what: string, target: unknown): never => {
    log.note("other", target);
    throw new Denied(what);
  };
  const more = process as unknown as Record<string, unknown>;
  const kill = more["_kill"] as (pid: number, signal: number) => number;
  // What `process.kill` stands on, and anybody can call.
  more["_kill"] = (pid: number, signal: number) => {
    // Asking whether a process lives is no signal.
    if (signal === 0) return kill.call(process, pid, signal);
    log.note("signal", `${nameOf(signal)} to ${pid}`);
    throw new Denied("A signal");
  };
  // These write a file from inside V8, past the permission model; a flag of V8 names the file, and any file will do.
  v8.setFlagsFromString = () => refuse("Setting flags of V8", "flags of V8");
  traceEvents.createTracing = () => refuse("Tracing", "trace events");
  v8.setHeapSnapshotNearHeapLimit = () => refuse("A heap snapshot", "heap snapshot");
  os.setPriority = () => refuse("Changing priorities", "priority of a process");
  for (const name of ["_debugProcess", "execve"]) {
    if (typeof more[name] === "function") more[name] = () => refuse(`process.${name}`, name);
  }
  closeSqlite(refuse);
}

/** As people write it: `SIGTERM` rather than 15. */
function nameOf(signal: number): string {
  const { signals } = os.constants;
  return Object.entries(signals).find(([, number]) => number === signal)?.[0] ?? String(signal);
}

/** Newer versions of Node have a database that opens files by itself; one in memory can attach others, or be written into one. */
function closeSqlite(refuse: (what: string, target: unknown) => never): void {
  const sqlite = process.getBuiltinModule("node:sqlite") as
    | { DatabaseSync?: new (...args: never[]) => object; backup?: (from: unknown, to: unknown) => unknown }
    | undefined;
  if (sqlite?.DatabaseSync === undefined) return;
  if (sqlite.backup !== undefined) sqlite.backup = async (_from, to) => refuse("A copy of a database", to);
  sqlite.DatabaseSync = new Proxy(sqlite.DatabaseSync, {
    construct(target, args) {
      const [path, options] = args as [unknown, { readOnly?: boolean } | undefined];
      if (options?.readOnly !== true) refuse("A database that can be written to", path);
      return Reflect.construct(target, args);
    },
  });
}
