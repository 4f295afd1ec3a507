/** Runs every contestant in turn, round after round, so that a busy machine slows them all alike; gives medians per contestant. */
export async function interleave(contestants, { rounds, perRound }) {
  const times = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < rounds + 1; round++) {
    for (const [name, work] of Object.entries(contestants)) {
      const begun = process.hrtime.bigint();
      for (let i = 0; i < perRound; i++) await work();
      const took = Number(process.hrtime.bigint() - begun) / perRound;
      // The first round only warms up.
      if (round > 0) times.get(name).push(took);
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function ms(nanoseconds) {
  const value = nanoseconds / 1e6;
  return value < 0.1 ? `${(value * 1000).toFixed(1)} µs` : `${value.toFixed(2)} ms`;
}
