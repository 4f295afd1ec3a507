import childProcess from "node:child_process";
import fs from "node:fs";
import workerThreads from "node:worker_threads";
import type { Effect } from "../child-protocol.ts";
import { Denied, isDenied } from "./denied.ts";
import type { EffectLog } from "./effect-log.ts";

const writers =
  "appendFile chmod chown copyFile cp fchmod fchown futimes lchmod lchown link lutimes mkdir mkdtemp open rename rm rmdir symlink truncate unlink utimes writeFile";
const starters = "exec execFile execFileSync execSync fork spawn spawnSync";

/** Notes what the permission model refuses, whether or not the app lets anybody hear of it. */
export async function watchDenied(log: EffectLog): Promise<void> {
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
      throw new Denied(`Changing an open file (${name})`);
    };
  }
}
