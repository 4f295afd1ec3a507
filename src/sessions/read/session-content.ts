import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { defined, fieldOf } from "../../protocol/internal.ts";
import { findSessionsIn, type SessionPlace, type SubagentFile, sessionFilesOf } from "../find/session-files.ts";
import { readSubagentMeta } from "../home/client-json.ts";
import type { TranscriptItem } from "../model/entry.ts";
import type { SessionContent, SubagentContent } from "../model/session-model.ts";
import { type Cursor, unreadableFile } from "./byte-source.ts";
import { readEntries } from "./read-entries.ts";

/** The files of a session in memory, able to take in what was written since. */
export interface ContentReader {
  /** Reads what is new. `changed` is false when nothing was. */
  read(signal?: AbortSignal): Promise<{ content: SessionContent; changed: boolean }>;
}

/** With `missing`, a main transcript that does not exist is empty; it may be written later. */
export function sessionContentReader(place: SessionPlace, missing?: "empty"): ContentReader {
  const held = new Map<string, Held>();
  const metas = new Map<string, SubagentContent["meta"]>();
  let last: SessionContent | undefined;

  async function agentOf(
    agent: SubagentFile,
    borrowedFrom: string | undefined,
    signal?: AbortSignal,
  ): Promise<[SubagentContent, boolean]> {
    const { changed, items } = await refresh(held, agent.file, signal);
    if (agent.meta !== undefined && !metas.get(agent.meta)) metas.set(agent.meta, readSubagentMeta(agent.meta));
    const meta = agent.meta === undefined ? undefined : metas.get(agent.meta);
    const { id, file, run } = agent;
    return [
      {
        id,
        file,
        ...defined({ meta, run, borrowedFrom }),
        items,
      },
      changed,
    ];
  }

  return {
    async read(signal) {
      const files = await sessionFilesOf(place);
      const gone = missing === "empty" && !existsSync(files.main);
      const main = gone ? nothing : await refresh(held, files.main, signal);
      let changed = main.changed || last?.agents.length !== files.agents.length;
      const agents: SubagentContent[] = [];
      for (const agent of files.agents) {
        const [content, grown] = await agentOf(agent, undefined, signal);
        agents.push(content);
        changed ||= grown;
      }
      if (!changed && last !== undefined) return { content: last, changed: false };
      const own = new Set(files.agents.map(({ id }) => id));
      for (const { agent, session } of await agentsOfSourceSession(place, main.items, own)) {
        agents.push((await agentOf(agent, session, signal))[0]);
      }
      last = { place, files, main: main.items, agents };
      return { content: last, changed: true };
    },
  };
}

const nothing = { items: [] as readonly TranscriptItem[], changed: false };

interface Held {
  readonly items: readonly TranscriptItem[];
  readonly cursor: Cursor;
  /** Size and time of the file when it was read. */
  readonly stamp: string;
}

async function refresh(
  held: Map<string, Held>,
  file: string,
  signal?: AbortSignal,
): Promise<Held & { changed: boolean }> {
  const before = held.get(file);
  const stamp = await stampOf(file);
  if (before !== undefined && before.stamp === stamp) return { ...before, changed: false };
  const reader = readEntries(file, { from: before?.cursor, signal });
  const fresh: TranscriptItem[] = [];
  for await (const batch of reader) for (const item of batch) fresh.push(item);
  // A last line that was still without newline is read again with what came after it.
  const kept = before === undefined || reader.reset ? [] : before.items.filter(isWhole);
  const items = kept.length === 0 ? fresh : kept.concat(fresh);
  const now: Held = { items, cursor: reader.cursor, stamp };
  held.set(file, now);
  return { ...now, changed: true };
}

function isWhole(item: TranscriptItem): boolean {
  return item.kind === "unreadable" ? item.why !== "cut-archive" : item.unterminated !== true;
}

async function stampOf(file: string): Promise<string> {
  const { dev, ino, size, mtimeMs, ctimeMs } = await stat(file).catch((cause: unknown) => {
    throw unreadableFile(file, cause);
  });
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

/** An agent that a copied call refers to and another session of the project keeps. */
interface Borrowed {
  readonly agent: SubagentFile;
  readonly session: string;
}

/**
 * A fork repeats the calls of the session it came from, but not the files of its agents. Those are looked for in the other
 * sessions of the project, by the tool id in their meta. Costs nothing unless a call has an agent that is not here.
 */
async function agentsOfSourceSession(
  place: SessionPlace,
  items: readonly TranscriptItem[],
  own: ReadonlySet<string>,
): Promise<Borrowed[]> {
  const wanted = missingStarts(items, own);
  if (wanted.size === 0) return [];
  const found: Borrowed[] = [];
  const { root, folder, project } = place;
  for (const other of await findSessionsIn({ root, name: project, path: folder })) {
    if (other.id === place.id) continue;
    for (const agent of (await sessionFilesOf(other)).agents) {
      const toolUseId = agent.meta === undefined ? undefined : readSubagentMeta(agent.meta)?.toolUseId;
      if (toolUseId === undefined || !wanted.delete(toolUseId)) continue;
      found.push({ agent, session: other.id });
      if (wanted.size === 0) return found;
    }
  }
  return found;
}

/** Tool ids whose result names an agent that has no file in this session. */
function missingStarts(items: readonly TranscriptItem[], own: ReadonlySet<string>): Set<string> {
  const wanted = new Set<string>();
  for (const item of items) {
    if (item.kind !== "user" || item.role !== "result") continue;
    const agentId = fieldOf(item.toolUseResult, "agentId");
    if (typeof agentId !== "string" || own.has(agentId)) continue;
    for (const block of item.content) if (block.type === "tool_result") wanted.add(block.toolUseId);
  }
  return wanted;
}
