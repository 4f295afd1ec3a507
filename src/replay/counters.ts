/** Durations in buckets that grow by 2 %: constant memory, and percentiles with an error of at most 2 %. */
export interface DurationHistogram {
  add(ms: number): void;
  /** The percentile; 0.5 is the median. Undefined for an empty histogram. */
  at(share: number): number | undefined;
  readonly max: number | undefined;
}

const step = Math.log(1.02);
const leastMs = 0.001;

export function openDurations(): DurationHistogram {
  const buckets = new Map<number, number>();
  let count = 0;
  let max: number | undefined;
  return {
    add(ms) {
      const bucket = Math.round(Math.log(Math.max(ms, leastMs) / leastMs) / step);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      count += 1;
      max = Math.max(max ?? 0, ms);
    },
    at(share) {
      let left = Math.ceil(count * share);
      for (const [bucket, size] of [...buckets].sort(([a], [b]) => a - b)) {
        left -= size;
        if (left <= 0) return Math.min(leastMs * Math.exp(bucket * step), max ?? 0);
      }
      return undefined;
    },
    get max() {
      return max;
    },
  };
}
