/** Milliseconds on a clock that only goes forward. Not `performance.now`: touching it costs a twentieth of a start of Node. */
export function ticks(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
