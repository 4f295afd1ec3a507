import type { SessionPlace } from "../find/session-files.ts";
import { noBranch } from "../model/branches.ts";
import type { Entry, TranscriptItem } from "../model/entry.ts";
import { isGraphEntry } from "../model/entry-graph.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { readEntries, readEntriesReverse } from "../read/read-entries.ts";
import type { QueryElement, QueryPlan, QuerySource } from "./query.ts";

/** What a query needs of a session: its place, the loaded model, and how to load it. */
export interface QueryAccess {
  readonly place: SessionPlace;
  readonly model: () => SessionModel | undefined;
  readonly load: () => Promise<SessionModel>;
  readonly now: () => number;
  /** The session has no file. */
  readonly isEmpty: () => boolean;
}

/**
 * Queries of a loaded session use its model. Otherwise entries are read line by line, no further than needed: forward for
 * `branch("all")`, backward for the last entries. Calls, tool calls, turns, agents and other branches need the whole session, which is
 * loaded for them.
 */
export function querySource({ place, model, load, now, isEmpty }: QueryAccess): QuerySource {
  async function* run(plan: QueryPlan, end: "front" | "back"): AsyncGenerator<QueryElement, undefined> {
    if (isEmpty()) return;
    const loaded = model();
    const canStream = plan.of === "entries" && !plan.agents && plan.turn === undefined;
    if (loaded === undefined && canStream && !(end === "back" && place.file.endsWith(".gz"))) {
      if (plan.branch === "all") {
        yield* end === "front" ? entriesForward(place.file) : entriesBackward(place.file);
        return;
      }
      if (end === "back" && plan.branch === "active") {
        yield* activeBackward(place.file, async (before) => {
          const elements = elementsOf(await load(), plan).reverse();
          return elements.filter((element) => "offset" in element && element.offset < before);
        });
        return;
      }
    }
    const elements = elementsOf(loaded ?? (await load()), plan);
    yield* end === "back" ? elements.reverse() : elements;
  }
  return { run, now, entryWith: async (uuid) => (await load()).byUuid(uuid) };
}

async function* entriesForward(file: string): AsyncGenerator<Entry, undefined> {
  for await (const batch of readEntries(file)) for (const item of batch) if (isMainEntry(item)) yield item;
}

async function* entriesBackward(file: string): AsyncGenerator<Entry, undefined> {
  for await (const item of readEntriesReverse(file)) if (isMainEntry(item)) yield item;
}

/** False for lines of agents, which older versions wrote into the main file. */
function isMainEntry(item: TranscriptItem): item is Entry {
  return item.kind !== "unreadable" && item.isSidechain !== true;
}

/**
 * The active branch backward. A line is on it if it is the parent of the line after it, or outside the graph. At the first line that
 * is neither, the rest comes from the loaded session.
 */
async function* activeBackward(
  file: string,
  rest: (beforeOffset: number) => Promise<QueryElement[]>,
): AsyncGenerator<QueryElement, undefined> {
  let expected: string | null | undefined;
  let leaf: string | undefined;
  let before = Number.MAX_SAFE_INTEGER;
  for await (const item of entriesBackward(file)) {
    if (isGraphEntry(item)) {
      // If a `last-prompt` line names another leaf than the newest line, only the whole graph shows which one is active.
      const isOnBranch = (expected === undefined ? (leaf ?? item.uuid) : expected) === item.uuid;
      if (!isOnBranch) break;
      expected = item.parentUuid;
    } else if (item.kind === "last-prompt" && expected === undefined) leaf ??= item.leafUuid;
    yield item;
    before = item.offset;
    if (expected === null) break;
  }
  yield* await rest(before);
}

function elementsOf(model: SessionModel, plan: QueryPlan): QueryElement[] {
  if (plan.of === "agents") return [...model.agents];
  const agents = plan.agents ? model.agents.map(({ thread }) => thread) : [];
  return [model.main, ...agents].flatMap((conversation) => elementsIn(conversation, plan));
}

function elementsIn(conversation: Conversation, plan: QueryPlan): QueryElement[] {
  const isSelected = selectedLines(conversation, plan);
  if (plan.of === "calls") return conversation.calls.filter((call) => call.lines.some(isSelected));
  if (plan.of === "tools") return conversation.toolCalls.filter((tool) => isSelected(tool.use));
  return conversation.entries.filter(isSelected);
}

/** Tests whether a line is in the branch and turn of the plan. Lines outside the graph are in every branch and in no turn. */
function selectedLines(conversation: Conversation, plan: QueryPlan): (entry: Entry) => boolean {
  // A leaf belongs to the main conversation: agents use their active branch.
  const isMain = conversation.agentId === undefined;
  const branch = isMain || plan.branch === "all" ? plan.branch : "active";
  const leaf = branch === "active" ? undefined : branch;
  if (plan.turn !== undefined) {
    const { turns } = conversation.turns(leaf);
    const turn = plan.turn < 0 ? turns.at(plan.turn) : turns[plan.turn - 1];
    const lines = new Set<Entry>(turn?.entries);
    return (entry) => lines.has(entry);
  }
  if (branch === "all") return () => true;
  if (leaf !== undefined && conversation.branches.entriesOf(leaf) === undefined) throw noBranch(leaf);
  const lines = new Set<Entry>(conversation.history(leaf));
  return (entry) => !isGraphEntry(entry) || lines.has(entry);
}
