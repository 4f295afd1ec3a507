/** When the first model call of a turn was made and answered. */
export interface Timing {
  /** Something of a model call happened; only the first of each counts until `mark`. */
  at(moment: Moment): void;
  /** A new turn begins. */
  mark(): void;
  /** The moments in milliseconds since then, as the result object spells them; those that came. */
  since(startedAt: number): Readonly<Partial<Record<(typeof spelling)[Moment][number], number>>>;
}

type Moment = "requested" | "answering" | "speaking";

export function openTiming(now: () => number): Timing {
  const moments = new Map<Moment, number>();
  return {
    at(moment) {
      if (!moments.has(moment)) moments.set(moment, now());
    },
    mark() {
      moments.clear();
    },
    since(startedAt) {
      const all = [...moments].flatMap(([moment, at]) =>
        spelling[moment].map((name) => [name, Math.max(0, Math.round(at - startedAt))]),
      );
      return Object.fromEntries(all);
    },
  };
}

const spelling = {
  requested: ["time_to_request_ms"],
  answering: ["ttft_stream_ms"],
  speaking: ["ttft_ms", "first_content_frame_ms"],
} as const;
