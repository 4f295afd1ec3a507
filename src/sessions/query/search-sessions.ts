import { stat } from "node:fs/promises";
import { defined, memoized, mustBe, Problem } from "../../protocol/internal.ts";
import {
  bestPlaces,
  realFileFinder,
  type SessionPlace,
  type SessionTranscript,
  transcriptsOf,
} from "../find/session-files.ts";
import { findRoots, type ProjectFolderFilter, projectFolderFilter, type RootOptions } from "../find/session-roots.ts";
import type { Entry } from "../model/entry.ts";
import { checkArgument, checkCallOptions, homeOptions } from "../option-checks.ts";
import { cutArchive } from "../read/gzip-source.ts";
import { type RecordSource, recordSource } from "../read/json-records.ts";
import { itemsIn } from "../read/read-entries.ts";
import { type Line, readLines } from "../read/read-lines.ts";
import { readHeader } from "../read/session-header.ts";
import { sessionAt } from "../session.ts";
import { hitRanking, type RankedHit, type SearchHit, searchTexts, type TextKind } from "./search-hits.ts";
import { type SearchPattern, type SearchPatternOptions, searchPattern } from "./search-pattern.ts";

/** Options of `searchSessions`. */
export interface SearchOptions extends RootOptions, SearchPatternOptions {
  /** Also search tool results. */
  readonly results?: boolean;
  /** Also search thinking. */
  readonly thinking?: boolean;
  /** Also search the transcripts of agents. */
  readonly agents?: boolean;
  /** Only sessions of this working directory. */
  readonly project?: string;
  /** Only entries since this time. */
  readonly sinceMs?: number;
  /** How many hits to return, best first. Default: 50. */
  readonly limit?: number;
  /** Aborts the search. */
  readonly signal?: AbortSignal;
  /** Called after every file. */
  readonly progress?: (done: { readonly files: number; readonly bytes: number }) => void;
}

/** The result of `searchSessions`. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** The number of all hits, including those beyond the limit. */
  readonly total: number;
  readonly files: number;
  readonly bytes: number;
  /** Files that could not be searched, and why. */
  readonly unread: readonly { readonly file: string; readonly why: string }[];
}

/** Searches the bytes of every transcript, and decodes only lines that may match. */
export async function searchSessions(query: string, options: SearchOptions = {}): Promise<SearchResult> {
  checkSearch(query, options);
  const pattern = searchPattern(query, options);
  const rank = hitRanking(options.limit ?? 50);
  if (query.trim() === "") return { hits: [], total: 0, files: 0, bytes: 0, unread: [] };
  const searched = await eachFile(options, async ({ place, file, agentId }) => {
    for await (const hit of hitsIn(file, pattern, options))
      rank.add({ ...hit, session: place.id, place, ...defined({ agentId }) });
  });
  return { hits: await withTurns(rank.best()), total: rank.total, ...searched };
}

export type SearchedFiles = Pick<SearchResult, "files" | "bytes" | "unread">;

/** Counts the files that `search` could read; the others are in `unread`. */
export async function eachFile(
  options: SearchOptions,
  search: (file: FileToSearch) => Promise<void>,
): Promise<SearchedFiles> {
  let files = 0;
  let bytes = 0;
  const unread: { file: string; why: string }[] = [];
  for await (const file of filesToSearch(options)) {
    options.signal?.throwIfAborted();
    try {
      await search(file);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      unread.push({ file: file.file, why: error.message });
      continue;
    }
    files++;
    bytes += file.sizeBytes;
    options.progress?.({ files, bytes });
  }
  return { files, bytes, unread };
}

export function checkSearch(query: string, options: SearchOptions): void {
  checkArgument("query", query, mustBe.text);
  checkCallOptions("searchSessions", options, [...homeOptions, "roots", ...searchOptionNames]);
}

const searchOptionNames = [
  ...(["regex", "matchCase", "results", "thinking", "agents"] as const),
  ...(["project", "sinceMs", "limit", "signal", "progress"] as const),
];

/** Whether the options include texts of this kind. */
function isSearched(kind: TextKind, { results = false, thinking = false }: SearchOptions): boolean {
  if (kind === "result") return results;
  return kind !== "thinking" || thinking;
}

interface FileToSearch extends SessionTranscript {
  readonly place: SessionPlace;
  readonly sizeBytes: number;
}

/** The transcripts of all sessions, each session once. */
export async function* filesToSearch(options: SearchOptions): AsyncGenerator<FileToSearch, undefined> {
  const realFile = realFileFinder();
  const searched = new Set<string>();
  const filter = options.project === undefined ? undefined : await projectFolderFilter(options.project);
  for (const place of bestPlaces(await findRoots(options))) {
    if (!(await belongsTo(place, filter))) continue;
    const real = await realFile(place);
    if (searched.has(real)) continue;
    searched.add(real);
    for (const transcript of options.agents ? await transcriptsOf(place) : [{ file: place.file }]) {
      const stats = await stat(transcript.file).catch(() => undefined); // undefined when it was deleted meanwhile
      if (stats === undefined || (options.sinceMs !== undefined && stats.mtimeMs < options.sinceMs)) continue;
      yield { place, ...transcript, sizeBytes: stats.size };
    }
  }
}

async function belongsTo(place: SessionPlace, filter: ProjectFolderFilter | undefined): Promise<boolean> {
  if (filter === undefined || filter.names.has(place.project)) return true;
  const header = await readHeader(place.file).catch(() => undefined);
  return filter.paths.has(header?.cwd ?? "");
}

type FileHit = Omit<RankedHit, "session" | "place" | "agentId">;

async function* hitsIn(file: string, pattern: SearchPattern, options: SearchOptions): AsyncIterable<FileHit> {
  const reader = readLines(file, { tail: "give", signal: options.signal });
  let source: RecordSource | undefined;
  for await (const batch of reader) {
    source ??= recordSource(file, reader.cursor);
    for (const line of candidates(batch, pattern)) {
      for (const item of itemsIn(source, line)) if (item.kind !== "unreadable") yield* hitsOf(item, pattern, options);
    }
  }
  if (reader.isCut) throw cutArchive(file);
}

/** Lines of a batch that may match. A batch is one buffer, so it is searched in one pass. */
function* candidates(batch: readonly Line[], pattern: SearchPattern): Generator<Line> {
  const lines = batch.filter(({ bytes }) => bytes !== undefined);
  const first = lines[0]?.bytes;
  const last = lines.at(-1)?.bytes;
  if (first === undefined || last === undefined) return;
  const start = first.byteOffset;
  const latin1 = Buffer.from(first.buffer, start, last.byteOffset + last.length - start).toString("latin1");
  const matches = pattern.candidateOffsets(latin1);
  const parts = [...partListOffsets(latin1)];
  let index = 0;
  let yielded = -1;
  for (const offset of parts.length === 0 ? matches : [...parts, ...matches].sort((a, b) => a - b)) {
    while (index < lines.length - 1 && (lines[index + 1]?.bytes?.byteOffset ?? 0) - start <= offset) index++;
    if (index !== yielded) yield lines[index] as Line;
    yielded = index;
  }
}

/** Offsets in lines whose large parts are in their own files: only the restored entry shows whether they match. */
function* partListOffsets(latin1: string): Generator<number> {
  const key = '"hookline":{"parts":';
  for (let at = latin1.indexOf(key); at >= 0; at = latin1.indexOf(key, at + key.length)) yield at;
}

export function* hitsOf(entry: Entry, pattern: SearchPattern, options: SearchOptions): Generator<FileHit> {
  const { sinceMs } = options;
  if (sinceMs !== undefined && entry.timestamp !== undefined && !(Date.parse(entry.timestamp) >= sinceMs)) return;
  for (const { kind, text } of searchTexts(entry)) {
    if (!isSearched(kind, options)) continue;
    const match = pattern.find(text);
    if (match === undefined) continue;
    const { file, offset, length, uuid, timestamp } = entry;
    const snippet = snippetOf(text, match.from, match.to);
    yield defined({ file, offset, length, uuid, timestamp, kind, phrase: match.phrase, snippet });
  }
}

const snippetMargin = 60;

/** The match with some text on both sides, on one line. */
function snippetOf(text: string, from: number, to: number): string {
  const start = Math.max(0, from - snippetMargin);
  const end = Math.min(text.length, to + snippetMargin);
  const part = text.slice(start, end).replace(/\s+/gu, " ");
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}

const maxLoadBytes = 24 * 1024 * 1024;

/** Adds turns. They need the whole session, so they are found only for the hits that are returned. */
export async function withTurns(hits: readonly RankedHit[]): Promise<SearchHit[]> {
  const turnsOf = memoized(turnsByOffset);
  return Promise.all(
    hits.map(async (hit) => {
      const turn = hit.agentId === undefined ? (await turnsOf(hit.place)).get(hit.offset) : undefined;
      return turn === undefined ? hit : { ...hit, turn };
    }),
  );
}

async function turnsByOffset(place: SessionPlace): Promise<ReadonlyMap<number, number>> {
  // If the file was deleted meanwhile or is too large, hits have no turn.
  const stats = await stat(place.file).catch(() => undefined);
  if (stats === undefined || stats.size > maxLoadBytes) return new Map();
  const { main } = await sessionAt(place).load();
  return new Map(main.turns().turns.flatMap(({ number, entries }) => entries.map(({ offset }) => [offset, number])));
}
