/** Shorter than the test timeout, so that the message names what did not happen. */
const limitMs = 100_000;

/** Waits until `holds` returns something truthy, and returns it. Fails with `what` when that takes too long. */
export async function until<T>(what: string, holds: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const result = await holds();
    if (result) return result;
    if (performance.now() > end) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
