import { AsyncLocalStorage } from "node:async_hooks";

const handlers = new AsyncLocalStorage<true>();
let guards = false;

/**
 * Runs handlers in a process that is not theirs: one that calls `process.exit` has failed, as it has in a process of its own. Whoever
 * else ends the process is not held.
 */
export function withoutExit<Value>(work: () => Promise<Value>): Promise<Value> {
  if (!guards) guardExit();
  return handlers.run(true, work);
}

function guardExit(): void {
  guards = true;
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    if (handlers.getStore() === undefined) return exit(code);
    throw new Error(`process.exit(${code ?? ""}) was called; a hook ends by returning`);
  };
}
