import { type ProcessRow, processes } from "./process-list.ts";

export interface ProcessLeader {
  readonly pid: number;
  readonly tag: Tag | undefined;
}

/** What distinguishes the processes of a run from all others. */
export interface FamilyMarks extends ProcessLeader {
  /** The ends of the leader's pipes, which only it and its descendants can hold. */
  readonly streams: ReadonlySet<string>;
}

export function familyMarks({ pid, tag }: ProcessLeader, rows: readonly ProcessRow[]): FamilyMarks {
  const streams = rows.find((row) => row.pid === pid)?.streams ?? [];
  return { pid, tag, streams: new Set(streams.filter((stream) => /^(socket|pipe):/.test(stream))) };
}

/**
 * The living processes of one run: those in the leader's group or session, those that carry its tag or hold its pipes, those known
 * from before, and all their descendants. A daemon that dropped all of that before the first list is not found.
 */
export function familyOf(marks: FamilyMarks, rows: readonly ProcessRow[], known: readonly ProcessRow[]): ProcessRow[] {
  const { pid, tag, streams } = marks;
  const knownBefore = new Set(known.map(identity));
  const children = childrenIn(rows);
  const ourselves = ancestorsOf(process.pid, rows);
  const family = new Set<ProcessRow>();
  const queue = rows.filter(
    (row) =>
      row.pid === pid ||
      row.pgid === pid ||
      row.sid === pid ||
      carriesTag(row.tag, tag) ||
      row.streams.some((stream) => streams.has(stream)) ||
      knownBefore.has(identity(row)),
  );
  for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
    // Whatever a tag or a pid says, this process and its ancestors are never ended.
    if (family.has(row) || ourselves.has(row.pid)) continue;
    family.add(row);
    queue.push(...(children.get(row.pid) ?? []));
  }
  return rows.filter((row) => family.has(row) && !row.zombie);
}

function childrenIn(rows: readonly ProcessRow[]): Map<number, ProcessRow[]> {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.ppid);
    if (siblings === undefined) children.set(row.ppid, [row]);
    else siblings.push(row);
  }
  return children;
}

function identity(row: ProcessRow): string {
  return `${row.pid} ${row.startedAt}`;
}

/** The pids of a process and its ancestors. */
export function ancestorsOf(pid: number, rows: readonly ProcessRow[]): Set<number> {
  const parents = new Map(rows.map((row) => [row.pid, row.ppid]));
  const line = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && at > 0 && !line.has(at); at = parents.get(at))
    line.add(at);
  return line;
}

/** A variable in the environment of a process by which it and its children are found again. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

/** Whether a value found in an environment is this tag, or that of a run inside this run (`outer/inner`). */
export function carriesTag(found: string | undefined, tag: Tag | undefined): boolean {
  if (found === undefined || tag === undefined) return false;
  return found === tag.value || found.startsWith(`${tag.value}/`);
}

/** The variable that marks everything a run of ours starts; nested runs are divided by `/`. */
export const runTag = "HOOKLINE_RUN";

/** A living process that carries a tag: left by a run that could not end it. */
export interface Leftover {
  readonly pid: number;
  readonly name: string;
  /** The value of the tag, which identifies its run. */
  readonly value: string;
  readonly startedAt: string;
}

/**
 * Living processes whose tag begins with `valuePrefix`, this one and its ancestors apart. Linux only; elsewhere nothing is found.
 * A process left alive by a normal end carries its tag too: only the caller knows which runs ended normally.
 */
export async function findLeftovers(tagName: string, valuePrefix: string): Promise<Leftover[]> {
  const rows = await processes.list(tagName);
  const own = ancestorsOf(process.pid, rows);
  return rows.flatMap(({ pid, name, tag, startedAt }) =>
    tag?.startsWith(valuePrefix) && !own.has(pid) ? [{ pid, name, value: tag, startedAt }] : [],
  );
}

/** Kills leftovers, each only if it is still the same process. Returns those that could not be killed. */
export function endLeftovers(found: readonly Leftover[]): Leftover[] {
  return found.filter((one) => processes.isAlive(one) && processes.signal(one.pid, "SIGKILL") === "not-permitted");
}
