import type { SessionPlace } from "../find/session-files.ts";
import type { EntryBlock } from "../model/content-block.ts";
import type { Entry } from "../model/entry.ts";
import type { RecordPosition } from "../read/json-records.ts";
import { textOfBlock } from "./query-filters.ts";

/** The kind of a text in a session, in the order of the ranking. */
export type TextKind = "title" | "prompt" | "answer" | "tool" | "result" | "thinking";

export interface SearchText {
  readonly kind: TextKind;
  readonly text: string;
}

/** The texts of an entry that can be searched. */
export function searchTexts(entry: Entry): SearchText[] {
  switch (entry.kind) {
    case "custom-title":
      return [{ kind: "title", text: entry.customTitle ?? "" }];
    case "ai-title":
      return [{ kind: "title", text: entry.aiTitle ?? "" }];
    case "summary":
      return [{ kind: "title", text: entry.summary ?? "" }];
    case "user":
      return entry.role === "meta" || entry.role === "summary" ? [] : entry.content.flatMap(userText);
    case "assistant":
      return entry.content.flatMap(answerText);
    default:
      return [];
  }
}

function userText(block: EntryBlock): SearchText[] {
  if (block.type === "text") return [{ kind: "prompt", text: block.text }];
  return block.type === "tool_result" ? [{ kind: "result", text: textOfBlock(block) }] : [];
}

function answerText(block: EntryBlock): SearchText[] {
  if (block.type === "text") return [{ kind: "answer", text: block.text }];
  if (block.type === "thinking") return [{ kind: "thinking", text: block.thinking }];
  return block.type === "tool_use" || block.type === "server_tool_use"
    ? [{ kind: "tool", text: textOfBlock(block) }]
    : [];
}

/** One match of a search, with its position in the transcript. */
export interface SearchHit extends Pick<RecordPosition, "file" | "offset" | "length"> {
  readonly session: string;
  readonly place: SessionPlace;
  readonly agentId?: string;
  readonly uuid?: string;
  /** The turn of the active branch. Absent outside of it, in agents, and in sessions that are too large to load. */
  readonly turn?: number;
  readonly timestamp?: string;
  readonly kind: TextKind;
  /** The whole phrase matched, not only its words. */
  readonly phrase: boolean;
  readonly snippet: string;
}

export type RankedHit = Omit<SearchHit, "turn">;

/** Keeps only the best hits in memory. */
export function hitRanking(limit: number) {
  let kept: RankedHit[] = [];
  let total = 0;
  return {
    add(hit: RankedHit): void {
      total++;
      kept.push(hit);
      if (kept.length > 4 * limit + 100) kept = kept.sort(byRank).slice(0, limit);
    },
    get total() {
      return total;
    },
    best: () => kept.sort(byRank).slice(0, limit),
  };
}

const weight: Readonly<Record<TextKind, number>> = { title: 2, prompt: 2, answer: 1, tool: 0, result: 0, thinking: 0 };

/** Phrases before words, prompts and titles before answers before tools, newer before older. The rest makes the order stable. */
function byRank(a: RankedHit, b: RankedHit): number {
  if (a.phrase !== b.phrase) return a.phrase ? -1 : 1;
  if (weight[a.kind] !== weight[b.kind]) return weight[b.kind] - weight[a.kind];
  const [timeA, timeB] = [a.timestamp ?? "", b.timestamp ?? ""];
  if (timeA !== timeB) return timeA > timeB ? -1 : 1;
  if (a.session !== b.session) return a.session < b.session ? -1 : 1;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.offset - b.offset;
}
