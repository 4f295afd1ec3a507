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
 * Refuses effects that Node's permission model allows, and records those that it denies. The model itself protects files, processes and
 * threads: even an app that restores every function replaced here cannot start a program, or write a file except through V8.
 */
export async function refuseReplayEffects(log: EffectLog): Promise<void> {
  await watchDenied(log);
  refuseNetwork(log);
  await refuseOthers(log);
  // Updates the names that ES modules import from built-in modules.
  syncBuiltinESMExports();
}

/** Refuses effects on the system that are neither file, process nor network. */
async function refuseOthers(log: EffectLog): Promise<void> {
  const refuse = (what: string, target: unknown): never => {
    log.note("other", target);
    throw new EffectDenied(what);
  };
  const internals = process as unknown as Record<string, unknown>;
  const kill = internals["_kill"] as (pid: number, signal: number) => number;
  // `process.kill` calls `_kill`, which apps can call as well.
  internals["_kill"] = (pid: number, signal: number) => {
    // Signal 0 only checks whether the process exists.
    if (signal === 0) return kill.call(process, pid, signal);
    log.note("signal", `${nameOf(signal)} to ${pid}`);
    throw new EffectDenied("A signal");
  };
  // These let V8 write a file of any name, which the permission model does not cover.
  v8.setFlagsFromString = () => refuse("Setting flags of V8", "flags of V8");
  traceEvents.createTracing = () => refuse("Tracing", "trace events");
  v8.setHeapSnapshotNearHeapLimit = () => refuse("A heap snapshot", "heap snapshot");
  os.setPriority = () => refuse("Changing priorities", "priority of a process");
  for (const name of ["_debugProcess", "execve"]) {
    if (typeof internals[name] === "function") internals[name] = () => refuse(`process.${name}`, name);
  }
  refuseSqlite(refuse);
}

/** `SIGTERM` for 15. */
function nameOf(signal: number): string {
  const { signals } = os.constants;
  return Object.entries(signals).find(([, number]) => number === signal)?.[0] ?? String(signal);
}

/** `node:sqlite` of newer versions opens files without a permission check. A database in memory can attach or be copied to a file. */
function refuseSqlite(refuse: (what: string, target: unknown) => never): void {
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

/** Records what the permission model denies, even if the app catches the error. */
async function watchDenied(log: EffectLog): Promise<void> {
  const recorded = new WeakSet<Error>();
  const recorder: Recorder = (kind: Effect["kind"], target: unknown) => (error: unknown) => {
    if (!isDenied(error) || recorded.has(error as Error)) return;
    recorded.add(error as Error);
    // For a program, some versions of Node name the shell; the command says more.
    log.note(kind, (kind === "write" && (error as { resource?: string }).resource) || target);
  };
  for (const name of writers.split(" ")) {
    watch(fs, name, "write", recorder);
    watch(fs, `${name}Sync`, "write", recorder);
    watch(fs.promises, name, "write", recorder);
  }
  for (const name of starters.split(" ")) watch(childProcess, name, "process", recorder);
  const { Worker } = workerThreads;
  workerThreads.Worker = new Proxy(Worker, {
    construct(target, args: [string]) {
      try {
        return Reflect.construct(target, args);
      } catch (error) {
        recorder("thread", args[0])(error);
        throw error;
      }
    },
  });
  await refuseHandleChanges(log);
}

type Recorder = (kind: Effect["kind"], target: unknown) => (error: unknown) => void;

/** Wraps a function to record its errors: thrown, rejected, passed to a callback, or as `error` of its result. */
function watch(module: object, name: string, kind: Effect["kind"], recorder: Recorder): void {
  const functions = module as Record<string, unknown>;
  const original = functions[name];
  if (typeof original !== "function") return;
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    const record = recorder(kind, args[0]);
    const callback = args.at(-1);
    if (typeof callback === "function") {
      args[args.length - 1] = (error: unknown, ...rest: unknown[]): unknown => {
        record(error);
        return callback(error, ...rest);
      };
    }
    try {
      const result: unknown = Reflect.apply(original, this, args);
      if (result instanceof Promise) result.then(undefined, record);
      else record((result as { error?: unknown } | undefined)?.error);
      return result;
    } catch (error) {
      record(error);
      throw error;
    }
  };
  functions[name] = Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));
}

/** A file that is open for reading could be changed through its handle. */
async function refuseHandleChanges(log: EffectLog): Promise<void> {
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
