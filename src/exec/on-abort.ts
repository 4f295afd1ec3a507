/** Calls back when the signal is aborted; returns how to stop that. However many wait for one signal, it has one listener of ours. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  // The platform warns of a leak when more than ten listen, and that many runs under one signal are quite usual.
  const callbacks = waiting.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** The listener stays for the life of the signal: most are used again at once, and it holds nothing but this set. */
function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  signal.addEventListener("abort", () => callbacks.forEach((callback) => void callback()), { once: true });
  return callbacks;
}
