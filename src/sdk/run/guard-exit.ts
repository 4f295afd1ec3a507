import { AsyncLocalStorage } from "node:async_hooks";
import { endThreads, type ReplaceableProcess } from "./end-threads.ts";

const handlers = new AsyncLocalStorage<true>();
let guards = false;

/**
 * Runs handlers in a shared process: a handler that calls `process.exit` fails instead of ending it. Other code may still end the process.
 */
export function withExitGuard<Value>(work: () => Promise<Value>): Promise<Value> {
  if (!guards) guardExit(() => handlers.getStore() !== undefined);
  guards = true;
  return handlers.run(true, work);
}

/** Ends a shared process, even when a handler calls this. */
export function endSharedProcess(code: number): never {
  return handlers.exit(() => process.exit(code));
}

/** `reallyExit`, the last step of `process.exit`, is not in Node's types. */
type Process = ReplaceableProcess & { reallyExit(code?: number): never };

/**
 * While `held` returns true, calls that would end this process throw instead.
 * Contract: returns a function that does end the process. Its exit code counts, even if an `exit` listener sets another.
 */
export function guardExit(held: () => boolean): (code: number) => never {
  const own = process as Process;
  const { exit, reallyExit, abort, kill, execve } = own;
  let ending: number | undefined;
  const refuse = (call: string, called: (...given: never[]) => unknown): never => {
    const error = new Error(`${call} was called; hooks and tasks end by returning`);
    Error.captureStackTrace(error, called); // the place to name is where it was called
    throw error;
  };
  own.exit = (code) => (holds() ? refuse(`process.exit(${code ?? ""})`, own.exit) : exit.call(own, code));
  own.reallyExit = (code = 0) => {
    if (holds()) return refuse(`process.reallyExit(${code})`, own.reallyExit);
    endThreads(ending ?? code);
    return reallyExit.call(own, ending ?? code);
  };
  if (execve !== undefined)
    own.execve = (...given) => (holds() ? refuse("process.execve()", own.execve ?? execve) : execve.apply(own, given));
  own.abort = () => (holds() ? refuse("process.abort()", own.abort) : abort.call(own));
  own.kill = (pid, signal = "SIGTERM") =>
    holds() && endsThisProcess(pid, signal)
      ? refuse(`process.kill(${pid}, ${signal})`, own.kill)
      : kill.call(own, pid, signal);
  return (code) => {
    ending ??= code;
    return exit.call(own, ending);
  };

  function holds(): boolean {
    return ending === undefined && held();
  }
}

/** Pid 0 is the whole process group. A signal with a listener does not end the process, and signal 0 only checks that it exists. */
function endsThisProcess(pid: number, signal: string | number): boolean {
  if (signal === 0 || (pid !== 0 && Math.abs(pid) !== process.pid)) return false;
  return process.listenerCount(String(signal)) === 0;
}
