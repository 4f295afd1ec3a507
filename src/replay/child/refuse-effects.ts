import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import traceEvents from "node:trace_events";
import v8 from "node:v8";
import workerThreads from "node:worker_threads";
import type { Effect } from "../child-protocol.ts";
import { EffectDenied, type EffectLog, isDenied } from "./effect-log.ts";
import { refuseNetwork } from "./refuse-network.ts";

/**
 * Closes what Node's permission model leaves open, and notes what it refuses. The model itself keeps files, processes and threads:
 * were every function here put back by an app, it would still start nothing, and write nothing but what V8 writes by itself.
 */
export async function refuseEffects(log: EffectLog): Promise<void> {
  await watchDenied(log);
  refuseNetwork(log);
  await refuseOthers(log);
  // Names that were imported from built-in modules follow only now.
  syncBuiltinESMExports();
}

/** Effects outside this process that are neither file, process nor network. */
async function refuseOthers(log: EffectLog): Promise<void> {
  const refuse = (what: string, target: unknown): never => {
    log.note("other", target);
    throw new EffectDenied(what);
  };
  const more = process as unknown as Record<string, unknown>;
  const kill = more["_kill"] as (pid: number, signal: number) => number;
  // What `process.kill` stands on, and anybody can call.
  more["_kill"] = (pid: number, signal: number) => {
    // Asking whether a process lives is no signal.
    if (signal === 0) return kill.call(process, pid, signal);
    log.note("signal", `${nameOf(signal)} to ${pid}`);
    throw new EffectDenied("A signal");
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

const writers =
  "appendFile chmod chown copyFile cp fchmod fchown futimes lchmod lchown link lutimes mkdir mkdtemp open rename rm rmdir symlink truncate unlink utimes writeFile";
const starters = "exec execFile execFileSync execSync fork spawn spawnSync";

/** Notes what the permission model refuses, even if the app catches the error. */
async function watchDenied(log: EffectLog): Promise<void> {
  const noted = new WeakSet<Error>();
  const tell = (kind: Effect["kind"], target: unknown) => (error: unknown) => {
    if (!isDenied(error) || noted.has(error as Error)) return;
    noted.add(error as Error);
    // For a program some versions of Node name the shell; what was to run is worth more.
    log.note(kind, (kind === "write" && (error as { resource?: string }).resource) || target);
  };
  for (const name of writers.split(" ")) {
    watch(fs, name, "write", tell);
    watch(fs, `${name}Sync`, "write", tell);
    watch(fs.promises, name, "write", tell);
  }
  for (const name of starters.split(" ")) watch(childProcess, name, "process", tell);
  const { Worker } = workerThreads;
  workerThreads.Worker = new Proxy(Worker, {
    construct(target, args: [string]) {
      try {
        return Reflect.construct(target, args);
      } catch (error) {
        tell("thread", args[0])(error);
        throw error;
      }
    },
  });
  await closeHandles(log);
}

type Tell = (kind: Effect["kind"], target: unknown) => (error: unknown) => void;

/** Errors come thrown, rejected, to a callback, or beside a result: the function stays what it is in every case. */
function watch(module: object, name: string, kind: Effect["kind"], tell: Tell): void {
  const functions = module as Record<string, unknown>;
  const original = functions[name];
  if (typeof original !== "function") return;
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    const heard = tell(kind, args[0]);
    const callback = args.at(-1);
    if (typeof callback === "function") {
      args[args.length - 1] = (error: unknown, ...rest: unknown[]): unknown => {
        heard(error);
        return callback(error, ...rest);
      };
    }
    try {
      const result: unknown = Reflect.apply(original, this, args);
      if (result instanceof Promise) result.then(undefined, heard);
      else heard((result as { error?: unknown } | undefined)?.error);
      return result;
    } catch (error) {
      heard(error);
      throw error;
    }
  };
  functions[name] = Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));
}

/** A file that was opened for reading could still be given other times through its handle. */
async function closeHandles(log: EffectLog): Promise<void> {
  const handle = await fs.promises.open(process.execPath, "r");
  const prototype = Object.getPrototypeOf(handle) as Record<string, unknown>;
  await handle.close();
  for (const name of ["chmod", "chown", "utimes"]) {
    prototype[name] = async () => {
      log.note("write", `an open file (${name})`);
      throw new EffectDenied(`Changing an open file (${name})`);
    };
  }
}
