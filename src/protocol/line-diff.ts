/** A run of changed lines with up to three unchanged ones around it, as `diff -u` groups them. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with ` `, `-` or `+` in front. */
  readonly lines: readonly string[];
}

/** The unchanged lines before and after a change. */
const usual = 3;

/** The changes from one text to the other. */
export function patchOf(before: string, after: string): Hunk[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const groups: Change[][] = [];
  for (const change of changesOf(a, b)) {
    const last = groups.at(-1);
    if (last !== undefined && change.a - (last.at(-1)?.aEnd ?? 0) <= 2 * usual) last.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => hunkOf(a, b, group));
}

/** A last line without a line break contains the remark about it, so that it differs from the same line with a break. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop();
  return last ? [...lines, `${last}\n\\ No newline at end of file`] : lines;
}

/** A range of old lines replaced by a range of new ones. */
interface Change {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** One hunk from the first of these changes to the last, with everything between them. */
export function hunkOf(
  a: readonly string[],
  b: readonly string[],
  group: readonly Change[],
  around: number = usual,
): Hunk {
  const [first, last] = [group[0] as Change, group.at(-1) as Change];
  const from = Math.max(0, first.a - around);
  const to = Math.min(a.length, last.aEnd + around);
  const newFrom = first.b - (first.a - from);
  const newTo = last.bEnd + (to - last.aEnd);
  const lines: string[] = [];
  const add = (sign: string, some: readonly string[]) => {
    for (const line of some) lines.push(...`${sign}${line}`.split("\n"));
  };
  let at = from;
  for (const change of group) {
    add(" ", a.slice(at, change.a));
    add("-", a.slice(change.a, change.aEnd));
    add("+", b.slice(change.b, change.bEnd));
    at = change.aEnd;
  }
  add(" ", a.slice(at, to));
  return { oldStart: from + 1, oldLines: to - from, newStart: newFrom + 1, newLines: newTo - newFrom, lines };
}

/** Beyond this many changed lines the shortest way is not searched for: all between the equal ends counts as replaced. */
const maxSteps = 1_000;

/** What was changed, from the first line to the last; empty when the lines are equal. */
export function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [aEnd, bEnd] = [a.length, b.length];
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1;
    bEnd -= 1;
  }
  const inner = shortest(a.slice(start, aEnd), b.slice(start, bEnd));
  if (inner === undefined) return [{ a: start, aEnd, b: start, bEnd }];
  return inner.map((one) => ({ a: one.a + start, aEnd: one.aEnd + start, b: one.b + start, bEnd: one.bEnd + start }));
}

/** By diagonal, how far along `a` the search has come. */
type Frontier = Map<number, number>;

/** The algorithm of Myers; undefined when it would take too long. */
function shortest(a: readonly string[], b: readonly string[]): Change[] | undefined {
  const furthest: Frontier = new Map([[1, 0]]);
  const trail: Frontier[] = [];
  for (let d = 0; d <= Math.min(maxSteps, a.length + b.length); d += 1) {
    trail.push(new Map(furthest));
    for (let k = -d; k <= d; k += 2) {
      const fromK = previousDiagonal(furthest, k, d);
      let x = (furthest.get(fromK) ?? 0) + (fromK < k ? 1 : 0);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return changesOn(trail, a.length, b.length);
    }
  }
  return undefined;
}

/** The diagonal above means an added line, the one below a removed line. */
function previousDiagonal(furthest: Frontier, k: number, d: number): number {
  const isAdded = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0));
  return isAdded ? k + 1 : k - 1;
}

function changesOn(trail: readonly Frontier[], aLength: number, bLength: number): Change[] {
  const changes: Change[] = [];
  let k = aLength - bLength;
  for (let d = trail.length - 1; d > 0; d -= 1) {
    const furthest = trail[d] as Frontier;
    const fromK = previousDiagonal(furthest, k, d);
    const a = furthest.get(fromK) ?? 0;
    const b = a - fromK;
    const step = { a, aEnd: a + (fromK < k ? 1 : 0), b, bEnd: b + (fromK > k ? 1 : 0) };
    const next = changes[0];
    if (next !== undefined && next.a === step.aEnd && next.b === step.bEnd) {
      changes[0] = { a, aEnd: next.aEnd, b, bEnd: next.bEnd };
    } else changes.unshift(step);
    k = fromK;
  }
  return changes;
}
