import type { Linked } from "../model/entry-graph.ts";
import type { Thread } from "../model/transcript-conversation.ts";

/** How much of a conversation a plain walk from its end, parent by parent, comes by. */
export interface ResumeForecast {
  readonly reached: Counts;
  readonly missed: Counts;
  /** The first link on the way that leads nowhere. */
  readonly breaksAt?: { readonly uuid: string; readonly parentUuid: string; readonly line: number };
}

export interface Counts {
  readonly entries: number;
  readonly prompts: number;
  readonly toolResults: number;
}

/**
 * Measured against what a model should be given: all since the last compaction. Results of parallel tools are the usual
 * loss, since each hangs on its own call and the walk passes by one of them only.
 */
export function forecastResume(thread: Thread): ResumeForecast {
  const byUuid = new Map(thread.graph.nodes.map((node) => [node.uuid, node]));
  const walked = new Set<Linked>();
  let breaksAt: ResumeForecast["breaksAt"];
  let at = byUuid.get(thread.branches.leaf ?? "");
  while (at !== undefined && !walked.has(at)) {
    walked.add(at);
    if (at.parentUuid === null) break;
    const parent = byUuid.get(at.parentUuid);
    if (parent === undefined) breaksAt = { uuid: at.uuid, parentUuid: at.parentUuid, line: at.line };
    at = parent;
  }
  const wanted = thread.context();
  return {
    reached: count(wanted.filter((entry) => walked.has(entry))),
    missed: count(wanted.filter((entry) => !walked.has(entry))),
    ...(breaksAt === undefined ? {} : { breaksAt }),
  };
}

function count(entries: readonly Linked[]): Counts {
  const users = entries.filter((entry) => entry.kind === "user");
  return {
    entries: entries.length,
    prompts: users.filter(({ role }) => role === "prompt").length,
    toolResults: users.filter(({ role }) => role === "result").length,
  };
}
