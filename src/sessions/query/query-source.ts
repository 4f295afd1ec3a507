import type { SessionPlace } from "../find/session-files.ts";
import { noBranch } from "../model/branches.ts";
import type { Entry, TranscriptItem } from "../model/entry.ts";
import { isGraphEntry } from "../model/entry-graph.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { readEntries } from "../read/read-entries.ts";
import { readEntriesReverse } from "../read/read-reverse.ts";
import type { QueryPlan, QuerySource } from "./query.ts";
import type { QueryElement } from "./query-filters.ts";

/** How a query reaches a session: its place, what is loaded already, and the way to load the rest. */
export interface QueryAccess {
  readonly place: SessionPlace;
  readonly model: () => SessionModel | undefined;
  readonly load: () => Promise<SessionModel>;
  readonly now: () => number;
  /** There is no file to read from. */
  readonly isEmpty: () => boolean;
}

/**
 * A loaded session answers from memory. One that is not is read line by line, and no further than the answer needs: from
 * the front when every line counts (`branch("all")`), from the back when the last ones are asked for. Merged calls, tool
 * calls, turns, agents, and the question which lines the active branch has need the whole file; then it is loaded.
 */
export function querySource({ place, model, load, now, isEmpty }: QueryAccess): QuerySource {
  async function* run(plan: QueryPlan, end: "front" | "back"): AsyncGenerator<QueryElement, undefined> {
    if (isEmpty()) return;
    const loaded = model();
    if (loaded === undefined && isPlain(plan) && !(end === "back" && place.file.endsWith(".gz"))) {
      if (plan.branch === "all") {
        yield* end === "front" ? streamed(place.file) : onlyEntries(readEntriesReverse(place.file));
        return;
      }
      if (end === "back" && plan.branch === "active") {
        yield* lastOfActive(place.file, async (before) => {
          const elements = elementsOf(await load(), plan).reverse();
          return elements.filter((element) => "offset" in element && element.offset < before);
        });
        return;
      }
    }
    const elements = elementsOf(loaded ?? (await load()), plan);
    yield* end === "back" ? elements.reverse() : elements;
  }
  return { run, now, positionOf: async (uuid) => (await load()).byUuid(uuid) };
}

function isPlain(plan: QueryPlan): boolean {
  return plan.of === "entries" && !plan.agents && plan.turn === undefined;
}

async function* streamed(file: string): AsyncGenerator<Entry, undefined> {
  for await (const batch of readEntries(file)) for (const item of batch) if (isMain(item)) yield item;
}

async function* onlyEntries(items: AsyncIterable<TranscriptItem>): AsyncGenerator<Entry, undefined> {
  for await (const item of items) if (isMain(item)) yield item;
}

/** Lines of agents that older versions wrote into the main file are the agents', not the session's. */
function isMain(item: TranscriptItem): item is Entry {
  return item.kind !== "unreadable" && item.isSidechain !== true;
}

/**
 * The active branch from its end. A line that the one after it hangs on is on it for sure, and so is one outside the graph;
 * at the first line of which that is not known, the rest is taken from the loaded session.
 */
async function* lastOfActive(
  file: string,
  rest: (beforeOffset: number) => Promise<QueryElement[]>,
): AsyncGenerator<QueryElement, undefined> {
  let wanted: string | null | undefined;
  let named: string | undefined;
  let before = Number.MAX_SAFE_INTEGER;
  for await (const item of readEntriesReverse(file)) {
    if (!isMain(item)) continue;
    if (isGraphEntry(item)) {
      // A `last-prompt` that names another line than the newest: only the whole graph can say which one is the leaf.
      const isNext = wanted === undefined ? (named ?? item.uuid) === item.uuid : wanted === item.uuid;
      if (!isNext) break;
      wanted = item.parentUuid;
    } else if (item.kind === "last-prompt" && wanted === undefined) named ??= item.leafUuid;
    yield item;
    before = item.offset;
    if (wanted === null) break;
  }
  yield* await rest(before);
}

function elementsOf(model: SessionModel, plan: QueryPlan): QueryElement[] {
  if (plan.of === "agents") return [...model.agents];
  const threads = [model.main, ...(plan.agents ? model.agents.map(({ thread }) => thread) : [])];
  return threads.flatMap((thread) => elementsIn(thread, plan));
}

function elementsIn(thread: Conversation, plan: QueryPlan): QueryElement[] {
  const within = linesWithin(thread, plan);
  if (plan.of === "calls") return thread.calls.filter((call) => call.lines.some(within));
  if (plan.of === "tools") return thread.toolCalls.filter((tool) => within(tool.use));
  return thread.entries.filter(within);
}

/** Which lines the plan's branch and turn leave; lines outside the graph belong to every branch and to no turn. */
function linesWithin(thread: Conversation, plan: QueryPlan): (entry: Entry) => boolean {
  const named = thread.agentId === undefined ? plan.branch : plan.branch === "all" ? "all" : "active";
  const leaf = named === "active" ? undefined : named;
  if (plan.turn !== undefined) {
    const { turns } = thread.turns(leaf);
    const turn = plan.turn < 0 ? turns.at(plan.turn) : turns[plan.turn - 1];
    const lines = new Set<Entry>(turn?.entries);
    return (entry) => lines.has(entry);
  }
  if (named === "all") return () => true;
  if (leaf !== undefined && thread.branches.entriesOf(leaf) === undefined) throw noBranch(leaf);
  const lines = new Set<Entry>(thread.history(leaf));
  return (entry) => !isGraphEntry(entry) || lines.has(entry);
}
