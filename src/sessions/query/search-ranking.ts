import type { TextKind } from "./search-hits.ts";
import type { SearchHit } from "./search-sessions.ts";

export type Ranked = Omit<SearchHit, "turn">;

/** Keeps the best hits of any number. */
export interface Ranking {
  add(hit: Ranked): void;
  readonly total: number;
  best(): Ranked[];
}

export function ranking(limit: number): Ranking {
  let kept: Ranked[] = [];
  let total = 0;
  return {
    add(hit) {
      total++;
      kept.push(hit);
      if (kept.length > 4 * limit + 100) kept = kept.sort(byRank).slice(0, limit);
    },
    get total() {
      return total;
    },
    best: () => kept.sort(byRank).slice(0, limit),
  };
}

const weight: Readonly<Record<TextKind, number>> = { title: 2, prompt: 2, answer: 1, tool: 0, result: 0, thinking: 0 };

/** Whole phrase over words, prompt and title over answer over tools, newer over older; the rest only keeps the order fixed. */
export function byRank(a: Ranked, b: Ranked): number {
  if (a.phrase !== b.phrase) return a.phrase ? -1 : 1;
  if (weight[a.kind] !== weight[b.kind]) return weight[b.kind] - weight[a.kind];
  const [earlier, later] = [a.timestamp ?? "", b.timestamp ?? ""];
  if (earlier !== later) return earlier > later ? -1 : 1;
  if (a.session !== b.session) return a.session < b.session ? -1 : 1;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.offset - b.offset;
}
