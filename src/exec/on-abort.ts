/** Calls back when the signal is aborted; returns a function that cancels this. All callbacks of one signal share one listener. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  // Node warns of a leak when a signal has more than ten listeners, and that many runs under one signal are common.
  const callbacks = waiting.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** The listener stays as long as the signal: most are reused immediately, and it holds only this set. */
function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  signal.addEventListener("abort", () => callbacks.forEach((callback) => void callback()), { once: true });
  return callbacks;
}
