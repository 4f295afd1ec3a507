import { type AgentFile, filesOf, findSessionsIn, type SessionPlace } from "../find/session-files.ts";
import { readMeta } from "../home/agent-meta.ts";
import type { Item } from "../model/entry.ts";

/** An agent that a copied call refers to and another session of the project keeps. */
export interface Borrowed {
  readonly agent: AgentFile;
  readonly session: string;
}

/**
 * A fork repeats the calls of the session it came from, but not the files of its agents. Those are looked for in the other
 * sessions of the project, by the tool id in their meta. Costs nothing unless a call has an agent that is not here.
 */
export async function borrowedAgents(
  place: SessionPlace,
  items: readonly Item[],
  own: ReadonlySet<string>,
): Promise<Borrowed[]> {
  const wanted = missingStarts(items, own);
  if (wanted.size === 0) return [];
  const found: Borrowed[] = [];
  const { root, folder, project } = place;
  for (const other of await findSessionsIn({ root, name: project, path: folder })) {
    if (other.id === place.id) continue;
    for (const agent of (await filesOf(other)).agents) {
      const toolUseId = agent.meta === undefined ? undefined : (await readMeta(agent.meta))?.toolUseId;
      if (toolUseId === undefined || !wanted.delete(toolUseId)) continue;
      found.push({ agent, session: other.id });
      if (wanted.size === 0) return found;
    }
  }
  return found;
}

/** Tool ids whose result names an agent that has no file in this session. */
function missingStarts(items: readonly Item[], own: ReadonlySet<string>): Set<string> {
  const wanted = new Set<string>();
  for (const item of items) {
    if (item.kind !== "user" || item.role !== "result") continue;
    const structured = item.toolUseResult;
    const agentId =
      typeof structured === "object" && structured !== null && "agentId" in structured ? structured.agentId : undefined;
    if (typeof agentId !== "string" || own.has(agentId)) continue;
    for (const block of item.content) if (block.type === "tool_result") wanted.add(block.toolUseId);
  }
  return wanted;
}
