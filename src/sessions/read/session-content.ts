import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { defined, textField } from "../../protocol/internal.ts";
import { findSessionsIn, type SessionPlace, type SubagentFile, sessionFilesOf } from "../find/session-files.ts";
import { readSubagentMeta } from "../home/claude-code-json.ts";
import type { TranscriptItem } from "../model/entry.ts";
import type { SessionContent, SubagentContent } from "../model/session-model.ts";
import type { Cursor } from "./byte-source.ts";
import { unreadableFile } from "./gzip-source.ts";
import { readAllEntries, readEntries } from "./read-entries.ts";

/**
 * Returns a function that reads a session. It keeps the files in memory and reads only new lines after the first time; `changed` is false
 * when there are none. With `missing: "empty"` a main transcript that does not exist counts as empty; it may be written later.
 */
export function sessionContentReader(place: SessionPlace, missing?: "empty"): ContentReader {
  const loaded = new Map<string, LoadedFile>();
  let last: SessionContent | undefined;

  return async () => {
    const files = await sessionFilesOf(place);
    const isMissing = missing === "empty" && !existsSync(files.main);
    const main = isMissing ? noFile : await refresh(loaded, files.main);
    let changed = main.changed || last?.agents.length !== files.agents.length;
    const agents: SubagentContent[] = [];
    const addAgent = async ({ id, file, run, meta: metaFile }: SubagentFile, borrowedFrom?: string) => {
      const { items, changed: isAgentChanged } = await refresh(loaded, file);
      const meta = metaFile === undefined ? undefined : readSubagentMeta(metaFile);
      agents.push({ id, file, ...defined({ meta, run, borrowedFrom }), items });
      changed ||= isAgentChanged;
    };
    for (const agent of files.agents) await addAgent(agent);
    if (!changed && last !== undefined) return { content: last, changed: false };
    const own = new Set(files.agents.map(({ id }) => id));
    for (const { agent, session } of await agentsOfSourceSession(place, main.items, own))
      await addAgent(agent, session);
    last = { place, files, main: main.items, agents };
    return { content: last, changed: true };
  };
}

type ContentReader = () => Promise<{ content: SessionContent; changed: boolean }>;

const noFile = { items: [] as readonly TranscriptItem[], changed: false };

interface LoadedFile {
  readonly items: readonly TranscriptItem[];
  readonly cursor: Cursor;
  /** Size and time of the file when it was read. */
  readonly stamp: string;
}

async function refresh(loaded: Map<string, LoadedFile>, file: string): Promise<LoadedFile & { changed: boolean }> {
  const before = loaded.get(file);
  const stamp = await stampOf(file);
  if (before !== undefined && before.stamp === stamp) return { ...before, changed: false };
  const reader = readEntries(file, { from: before?.cursor });
  const fresh = await readAllEntries(reader);
  // A last line without a newline is read again, now complete.
  const kept = before === undefined || reader.lines.reset ? [] : before.items.filter(isComplete);
  const items = kept.length === 0 ? fresh : kept.concat(fresh);
  const now: LoadedFile = { items, cursor: reader.lines.cursor, stamp };
  loaded.set(file, now);
  return { ...now, changed: true };
}

function isComplete(item: TranscriptItem): boolean {
  return item.kind === "unreadable" ? item.why !== "cut-archive" : item.unterminated !== true;
}

async function stampOf(file: string): Promise<string> {
  const { dev, ino, size, mtimeMs, ctimeMs } = await stat(file).catch((cause: unknown) => {
    throw unreadableFile(file, cause);
  });
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

/** An agent of a copied call, whose file belongs to another session of the project. */
interface BorrowedAgent {
  readonly agent: SubagentFile;
  readonly session: string;
}

/**
 * A fork copies the calls of its source session, but not the files of its agents. This finds them in the other sessions of the
 * project, by the tool id in their meta file. It reads nothing unless a call names an agent without a file.
 */
async function agentsOfSourceSession(
  place: SessionPlace,
  items: readonly TranscriptItem[],
  own: ReadonlySet<string>,
): Promise<BorrowedAgent[]> {
  const missing = callsWithMissingAgent(items, own);
  if (missing.size === 0) return [];
  const borrowed: BorrowedAgent[] = [];
  for (const other of findSessionsIn(place)) {
    if (other.id === place.id) continue;
    for (const agent of (await sessionFilesOf(other)).agents) {
      const toolUseId = agent.meta === undefined ? undefined : readSubagentMeta(agent.meta)?.toolUseId;
      if (toolUseId === undefined || !missing.delete(toolUseId)) continue;
      borrowed.push({ agent, session: other.id });
      if (missing.size === 0) return borrowed;
    }
  }
  return borrowed;
}

/** Ids of tool calls whose result names an agent that has no file in this session. */
function callsWithMissingAgent(items: readonly TranscriptItem[], own: ReadonlySet<string>): Set<string> {
  const ids = new Set<string>();
  for (const item of items) {
    if (item.kind !== "user" || item.role !== "result") continue;
    const agentId = textField(item.toolUseResult, "agentId");
    if (agentId === undefined || own.has(agentId)) continue;
    for (const block of item.content) if (block.type === "tool_result") ids.add(block.toolUseId);
  }
  return ids;
}
