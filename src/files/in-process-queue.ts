interface Line {
  readonly waiting: (() => void)[];
  changedAt: number;
}

const lines = new Map<string, Line>();

/**
 * One caller of this process at a time, in the order of asking. Gives the function that ends the turn,
 * or undefined when no turn ended for `waitMs`. A long queue that moves is waited for.
 */
export async function waitInQueue(
  key: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<(() => void) | undefined> {
  signal?.throwIfAborted();
  const line = lines.get(key);
  if (line !== undefined && !(await comesUp(line, waitMs, signal))) return undefined;
  const mine = line ?? { waiting: [], changedAt: monotonicMs() };
  lines.set(key, mine);
  return () => pass(key, mine);
}

function pass(key: string, line: Line): void {
  line.changedAt = monotonicMs();
  const next = line.waiting.shift();
  if (next === undefined) lines.delete(key);
  else next();
}

function comesUp(line: Line, waitMs: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const leave = (end: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      const at = line.waiting.indexOf(up);
      if (at >= 0) line.waiting.splice(at, 1);
      end();
    };
    const up = () => leave(() => resolve(true));
    const abort = () => leave(() => reject(signal?.reason));
    const check = () => {
      const leftMs = line.changedAt + waitMs - monotonicMs();
      if (leftMs > 0) timer = setTimeout(check, leftMs);
      else leave(() => resolve(false));
    };
    line.waiting.push(up);
    signal?.addEventListener("abort", abort, { once: true });
    check();
  });
}

const lastWork = new Map<string, Promise<unknown>>();

/** Runs work of one key one after the other, in the order of the calls. Work that fails does not hold up what follows it. */
export async function inOrder<T>(key: string, work: () => Promise<T>): Promise<T> {
  const current = (lastWork.get(key) ?? Promise.resolve()).then(work, work);
  lastWork.set(key, current);
  try {
    return await current;
  } finally {
    if (lastWork.get(key) === current) lastWork.delete(key);
  }
}

/** Milliseconds on a clock that only goes forward. Not `performance.now`: touching it costs a twentieth of a start of Node. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
