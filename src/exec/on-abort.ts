/** Calls back when the signal is aborted; returns how to stop that. However many wait for one signal, it has one listener of ours. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  // The platform warns of a leak when more than ten listen, and that many runs under one signal are quite usual.
  const waiting = waitingFor.get(signal) ?? listen(signal);
  waiting.callbacks.add(callback);
  return () => {
    waiting.callbacks.delete(callback);
    if (waiting.callbacks.size > 0) return;
    signal.removeEventListener("abort", waiting.listener);
    if (waitingFor.get(signal) === waiting) waitingFor.delete(signal);
  };
}

interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    for (const callback of callbacks) callback();
  };
  const waiting = { callbacks, listener };
  waitingFor.set(signal, waiting);
  signal.addEventListener("abort", listener, { once: true });
  return waiting;
}
