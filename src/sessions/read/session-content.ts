import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { type AgentFile, filesOf, type SessionPlace } from "../find/session-files.ts";
import { readMeta } from "../home/agent-meta.ts";
import type { Item } from "../model/entry.ts";
import type { AgentContent, SessionContent } from "../model/session-model.ts";
import { putBackLength } from "../parts/restore-large-parts.ts";
import { borrowedAgents } from "./borrowed-agents.ts";
import { unreadableFile } from "./byte-source.ts";
import type { Cursor } from "./cursor.ts";
import { readEntries } from "./read-entries.ts";

/** The files of a session in memory, able to take in what was written since. */
export interface ContentReader {
  /** Reads what is new. `changed` is false when nothing was. */
  read(signal?: AbortSignal): Promise<{ content: SessionContent; changed: boolean }>;
  /** Bytes on disk of what is held, large parts in files of their own included: a measure of the memory it takes. */
  readonly sizeBytes: number;
}

/** With `missing`, a main transcript that is not there holds nothing; it may come later. */
export function contentReader(place: SessionPlace, missing?: "empty"): ContentReader {
  const held = new Map<string, Held>();
  const metas = new Map<string, AgentContent["meta"]>();
  let last: SessionContent | undefined;

  async function agentOf(
    agent: AgentFile,
    borrowedFrom: string | undefined,
    signal?: AbortSignal,
  ): Promise<[AgentContent, boolean]> {
    const { changed, items } = await refresh(held, agent.file, signal);
    if (agent.meta !== undefined && !metas.get(agent.meta)) metas.set(agent.meta, await readMeta(agent.meta));
    const meta = agent.meta === undefined ? undefined : metas.get(agent.meta);
    const { id, file, run } = agent;
    return [
      {
        id,
        file,
        ...(meta === undefined ? {} : { meta }),
        ...(run === undefined ? {} : { run }),
        ...(borrowedFrom === undefined ? {} : { borrowedFrom }),
        items,
      },
      changed,
    ];
  }

  return {
    get sizeBytes() {
      return [...held.values()].reduce((sum, { end, parts }) => sum + end + parts, 0);
    },
    async read(signal) {
      const files = await filesOf(place);
      const gone = missing === "empty" && !existsSync(files.main);
      const main = gone ? nothing : await refresh(held, files.main, signal);
      let changed = main.changed || last?.agents.length !== files.agents.length;
      const agents: AgentContent[] = [];
      for (const agent of files.agents) {
        const [content, grown] = await agentOf(agent, undefined, signal);
        agents.push(content);
        changed ||= grown;
      }
      if (!changed && last !== undefined) return { content: last, changed: false };
      const own = new Set(files.agents.map(({ id }) => id));
      for (const { agent, session } of await borrowedAgents(place, main.items, own)) {
        agents.push((await agentOf(agent, session, signal))[0]);
      }
      last = { place, files, main: main.items, agents };
      return { content: last, changed: true };
    },
  };
}

const nothing = { items: [] as readonly Item[], changed: false };

interface Held {
  readonly items: readonly Item[];
  readonly cursor: Cursor;
  /** Size and time of the file when it was read. */
  readonly stamp: string;
  readonly end: number;
  /** Length of what was put back into its lines from other files. */
  readonly parts: number;
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
  const fresh: Item[] = [];
  for await (const batch of reader) for (const item of batch) fresh.push(item);
  // A last line that was still without newline is read again with what came after it.
  const kept = before === undefined || reader.reset ? [] : before.items.filter(isWhole);
  const items = kept.length === 0 ? fresh : kept.concat(fresh);
  const end = reader.tail === undefined ? reader.cursor.offset : reader.tail.offset + reader.tail.length;
  const parts = items.reduce((sum, item) => sum + (item.kind === "unreadable" ? 0 : putBackLength(item)), 0);
  const now: Held = { items, cursor: reader.cursor, stamp, end, parts };
  held.set(file, now);
  return { ...now, changed: true };
}

function isWhole(item: Item): boolean {
  return item.kind === "unreadable" ? item.why !== "cut-archive" : item.unterminated !== true;
}

async function stampOf(file: string): Promise<string> {
  const { dev, ino, size, mtimeMs, ctimeMs } = await stat(file).catch((cause: unknown) => {
    throw unreadableFile(file, cause);
  });
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}
