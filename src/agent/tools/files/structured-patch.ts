/** A run of changed lines with up to three unchanged ones around it, as `diff -u` groups them. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with ` `, `-` or `+` in front. */
  readonly lines: readonly string[];
}

const around = 3;
const noNewline = "\\ No newline at end of file";

/** What was changed from one text to the other. */
export function patchOf(before: string, after: string): Hunk[] {
  if (before === after) return [];
  const [a, b] = [linesOf(before), linesOf(after)];
  return hunksOf(a, b, changesOf(a, b)).map((hunk) => withEnds(hunk, a, b, before, after));
}

/** A range of old lines replaced by a range of new ones. */
interface Change {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

interface Group {
  readonly hunk: Hunk;
  /** Line numbers, from 0, behind which old and new text end in this hunk. */
  readonly aEnd: number;
  readonly bEnd: number;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lines that only differ by the missing break at the end are different lines. */
function withEnds({ hunk, aEnd, bEnd }: Group, a: string[], b: string[], before: string, after: string): Hunk {
  const openOld = aEnd === a.length && before !== "" && !before.endsWith("\n");
  const openNew = bEnd === b.length && after !== "" && !after.endsWith("\n");
  if (!openOld && !openNew) return hunk;
  const lastOld = hunk.lines.findLastIndex((line) => !line.startsWith("+"));
  const lastNew = hunk.lines.findLastIndex((line) => !line.startsWith("-"));
  const lines = hunk.lines.flatMap((line, index) =>
    (openOld && index === lastOld) || (openNew && index === lastNew) ? [line, noNewline] : [line],
  );
  return { ...hunk, lines };
}

function hunksOf(a: readonly string[], b: readonly string[], changes: readonly Change[]): Group[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last !== undefined && change.a - (last.at(-1)?.aEnd ?? 0) <= 2 * around) last.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => groupOf(a, b, group));
}

function groupOf(a: readonly string[], b: readonly string[], group: readonly Change[]): Group {
  const [first, last] = [group[0] as Change, group.at(-1) as Change];
  const from = Math.max(0, first.a - around);
  const to = Math.min(a.length, last.aEnd + around);
  const newFrom = first.b - (first.a - from);
  const newTo = last.bEnd + (to - last.aEnd);
  const lines: string[] = [];
  let at = from;
  for (const change of group) {
    lines.push(...a.slice(at, change.a).map((line) => ` ${line}`));
    lines.push(...a.slice(change.a, change.aEnd).map((line) => `-${line}`));
    lines.push(...b.slice(change.b, change.bEnd).map((line) => `+${line}`));
    at = change.aEnd;
  }
  lines.push(...a.slice(at, to).map((line) => ` ${line}`));
  const hunk = { oldStart: from + 1, oldLines: to - from, newStart: newFrom + 1, newLines: newTo - newFrom, lines };
  return { hunk, aEnd: to, bEnd: newTo };
}

/** Beyond this many changed lines the shortest way is not looked for: all between the equal ends counts as replaced. */
const maxSteps = 1_000;

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [aEnd, bEnd] = [a.length, b.length];
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd -= 1;
    bEnd -= 1;
  }
  if (start === aEnd && start === bEnd) return a.length === 0 ? [] : [lastLine(a, b)];
  const inner = shortest(a.slice(start, aEnd), b.slice(start, bEnd));
  if (inner === undefined) return [{ a: start, aEnd, b: start, bEnd }];
  return inner.map((one) => ({ a: one.a + start, aEnd: one.aEnd + start, b: one.b + start, bEnd: one.bEnd + start }));
}

/** The texts differ in their last line break alone. */
function lastLine(a: readonly string[], b: readonly string[]): Change {
  return { a: a.length - 1, aEnd: a.length, b: b.length - 1, bEnd: b.length };
}

/** Myers' way through the grid of lines; undefined when it would be too long. */
function shortest(a: readonly string[], b: readonly string[]): Change[] | undefined {
  const furthest = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let d = 0; d <= Math.min(maxSteps, a.length + b.length); d += 1) {
    trail.push(new Map(furthest));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0));
      let x = down ? (furthest.get(k + 1) ?? 0) : (furthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return back(trail, a.length, b.length);
    }
  }
  return undefined;
}

function back(trail: readonly Map<number, number>[], aLength: number, bLength: number): Change[] {
  const changes: Change[] = [];
  let [x, y] = [aLength, bLength];
  for (let d = trail.length - 1; d > 0; d -= 1) {
    const furthest = trail[d] as Map<number, number>;
    const k = x - y;
    const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0));
    const fromK = down ? k + 1 : k - 1;
    const [fromX, fromY] = [furthest.get(fromK) ?? 0, (furthest.get(fromK) ?? 0) - fromK];
    const step = { a: fromX, aEnd: fromX + (down ? 0 : 1), b: fromY, bEnd: fromY + (down ? 1 : 0) };
    const next = changes[0];
    if (next !== undefined && next.a === step.aEnd && next.b === step.bEnd) {
      changes[0] = { a: step.a, aEnd: next.aEnd, b: step.b, bEnd: next.bEnd };
    } else changes.unshift(step);
    [x, y] = [fromX, fromY];
  }
  return changes;
}
