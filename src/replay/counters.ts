/** Durations in buckets that grow by a fiftieth each: any number of them in little room, percentiles within two in a hundred. */
export interface DurationHistogram {
  add(ms: number): void;
  /** 0.5 is the median. Undefined when nothing was added. */
  at(share: number): number | undefined;
  readonly max: number | undefined;
}

const step = Math.log(1.02);
const least = 0.001;

export function openDurations(): DurationHistogram {
  const buckets = new Map<number, number>();
  let count = 0;
  let max: number | undefined;
  return {
    add(ms) {
      const bucket = Math.round(Math.log(Math.max(ms, least) / least) / step);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      count += 1;
      max = Math.max(max ?? 0, ms);
    },
    at(share) {
      let left = Math.ceil(count * share);
      for (const [bucket, held] of [...buckets].sort(([a], [b]) => a - b)) {
        left -= held;
        if (left <= 0) return Math.min(least * Math.exp(bucket * step), max ?? 0);
      }
      return undefined;
    },
    get max() {
      return max;
    },
  };
}
