import type { Entry, Item } from "./entry.ts";
import { isLinked } from "./entry-graph.ts";

/** An agent whose lines stand inside the main transcript. */
export interface Sidechain {
  /** Its agent id where written, else the uuid of its first line. */
  readonly id: string;
  readonly items: readonly Item[];
}

/** Takes the lines of older versions' subagents out of a main transcript, grouped by their first line. */
export function takeSidechains(items: readonly Item[]): { main: readonly Item[]; chains: readonly Sidechain[] } {
  // An agent's own file has nothing but such lines: read alone, they are its main conversation.
  if (!items.some(isSide) || !items.some(isMain)) return { main: items, chains: [] };
  const roots = new Map<string, string>();
  const chains = new Map<string, { id: string; items: Item[] }>();
  const main: Item[] = [];
  for (const item of items) {
    if (!isSide(item)) {
      main.push(item);
      continue;
    }
    const root = (item.parentUuid ? roots.get(item.parentUuid) : undefined) ?? item.agentId ?? item.uuid;
    roots.set(item.uuid, root);
    const chain = chains.get(root) ?? { id: item.agentId ?? root, items: [] };
    chains.set(root, chain);
    chain.items.push(item);
  }
  return { main, chains: [...chains.values()] };
}

function isSide(item: Item): item is Entry & { uuid: string; parentUuid: string | null } {
  return item.kind !== "unreadable" && item.isSidechain === true && isLinked(item);
}

function isMain(item: Item): boolean {
  return item.kind !== "unreadable" && item.isSidechain === false && isLinked(item);
}
