import { AsyncLocalStorage } from "node:async_hooks";

const handlers = new AsyncLocalStorage<true>();
let guards = false;

/**
 * Runs handlers in a process that is not theirs: a handler that ends it has failed, as in a process of its own. Other code that ends the
 * process is not held.
 */
export function withExitGuard<Value>(work: () => Promise<Value>): Promise<Value> {
  if (!guards) guardExit(() => handlers.getStore() !== undefined);
  guards = true;
  return handlers.run(true, work);
}

/** What Node does not describe: the last step of `exit`. */
type Process = typeof process & { reallyExit(code?: number): never };

/**
 * While `held` returns true, calls that would end this process throw instead, and that is a failure of the caller.
 * Contract: gives the one way out that is left; its status is the process's, whatever those say who listen to the end.
 */
export function guardExit(held: () => boolean): (code: number) => never {
  const own = process as Process;
  const { exit, reallyExit, abort, kill } = own;
  let ending: number | undefined;
  const refuse = (words: string, called: (...given: never[]) => unknown): never => {
    const error = new Error(`${words} was called; hooks and tasks end by returning`);
    Error.captureStackTrace(error, called); // the place to name is where it was called
    throw error;
  };
  own.exit = (code) => (holds() ? refuse(`process.exit(${code ?? ""})`, own.exit) : exit.call(own, code));
  own.reallyExit = (code) =>
    holds() ? refuse(`process.reallyExit(${code ?? ""})`, own.reallyExit) : reallyExit.call(own, ending ?? code);
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

/** 0 is everybody in our group. A signal that somebody listens to ends nobody, and signal 0 is a question. */
function endsThisProcess(pid: number, signal: string | number): boolean {
  if (signal === 0 || (pid !== 0 && Math.abs(pid) !== process.pid)) return false;
  return process.listenerCount(String(signal)) === 0;
}
