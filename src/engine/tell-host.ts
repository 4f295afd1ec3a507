/**
 * Calls code of the host's that nobody waits for. Contract: what it throws, at once or as a promise that is rejected, goes to `onThrow`
 * and harms nobody else.
 */
export function tellHost(call: () => unknown, onThrow: (error: unknown) => void): void {
  try {
    const told = call();
    if (told instanceof Promise) told.catch(onThrow);
  } catch (error) {
    onThrow(error);
  }
}
