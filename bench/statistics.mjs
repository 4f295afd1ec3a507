/** Runs every contestant in turn, round after round, so that a busy machine slows them all alike; gives medians per contestant. */
export async function interleave(contestants, { rounds, perRound, warmUp = 3, clock = wall }) {
  const times = new Map(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, work] of Object.entries(contestants)) {
      const begun = clock();
      for (let i = 0; i < perRound; i++) await work();
      const took = (clock() - begun) / perRound;
      if (round >= 0) times.get(name).push(took);
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
}

/** Nanoseconds that passed. */
export function wall() {
  return Number(process.hrtime.bigint());
}

/** Nanoseconds this process worked: for work inside it, the fairer measure on a machine that others use too. */
export function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1_000;
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
