import { branchesOf } from "../model/branches.ts";
import { contextOf, lastCompaction } from "../model/compactions.ts";
import type { Entry, Item } from "../model/entry.ts";
import { graphOf, type Linked } from "../model/entry-graph.ts";
import { takeSidechains } from "../model/sidechains.ts";
import { readEntries } from "../read/read-entries.ts";
import { readSinceCompaction } from "./since-compaction.ts";
import { isSpoken, isUnanswered } from "./unanswered-end.ts";

/** What going on with a conversation needs of its file. */
export interface GoingOn {
  /** The line that the next one hangs on. */
  readonly leaf: string | undefined;
  /** What a model would be given now. */
  readonly context: readonly Linked[];
  /** The last prompt or result has no answer. */
  readonly unanswered: boolean;
}

/**
 * Reads a main transcript to go on with it. Of a compacted one only what came since the last compaction is read, where that is all
 * there is to know; those lines are not counted, so their `line` is 0.
 */
export async function readGoingOn(file: string): Promise<GoingOn> {
  const recent = await readSinceCompaction(file);
  const near = recent === undefined ? undefined : goingOnIn(recent);
  // Whether the end was answered may be told by lines before the compaction only.
  return near?.spokenSince === true ? near : goingOnIn(await readAll(file));
}

async function readAll(file: string): Promise<readonly Entry[]> {
  const items: Item[] = [];
  for await (const batch of readEntries(file)) for (const item of batch) items.push(item);
  return takeSidechains(items).main.filter((item) => item.kind !== "unreadable");
}

function goingOnIn(entries: readonly Entry[]): GoingOn & { readonly spokenSince: boolean } {
  const graph = graphOf(entries);
  const { leaf, entriesOf } = branchesOf(graph, entries);
  const history = leaf === undefined ? [] : (entriesOf(leaf) ?? []);
  const context = contextOf(graph, history);
  const compactedAt = lastCompaction(history);
  const spokenSince = compactedAt >= 0 && history.slice(compactedAt + 1).some(isSpoken);
  return { leaf, context, unanswered: isUnanswered(history, context), spokenSince };
}
