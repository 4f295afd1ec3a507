import { stat } from "node:fs/promises";
import { defined, Problem } from "../../protocol/internal.ts";
import {
  bestPlaces,
  realFileFinder,
  type SessionPlace,
  type SubagentFile,
  sessionFilesOf,
} from "../find/session-files.ts";
import { findRoots, type ProjectFolderFilter, projectFolderFilter, type RootOptions } from "../find/session-roots.ts";
import { isTranscriptRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import type { Entry } from "../model/entry.ts";
import { checkCount, checkMs, checkText } from "../option-checks.ts";
import { cutArchive } from "../read/gzip-source.ts";
import { type RecordSource, recordSource, recordsOf } from "../read/json-records.ts";
import { type Line, readLines } from "../read/read-lines.ts";
import { readHeader } from "../read/session-header.ts";
import { sessionAt } from "../session.ts";
import { hitRanking, type RankedHit, searchTexts, type TextKind } from "./search-hits.ts";
import { type SearchPattern, type SearchPatternOptions, searchPattern } from "./search-pattern.ts";

export interface SearchOptions extends RootOptions, SearchPatternOptions {
  /** Also in what tools gave back. */
  readonly results?: boolean;
  /** Also in thinking. */
  readonly thinking?: boolean;
  /** Also in agents' transcripts. */
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

export interface SearchHit {
  readonly session: string;
  readonly place: SessionPlace;
  readonly file: string;
  readonly agentId?: string;
  readonly uuid?: string;
  /** The turn of the active branch; absent outside of it, in agents, and in sessions too large to load for it. */
  readonly turn?: number;
  readonly offset: number;
  readonly length: number;
  readonly timestamp?: string;
  readonly kind: TextKind;
  /** The whole phrase was found, not only its words. */
  readonly phrase: boolean;
  readonly snippet: string;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** All hits, those beyond the limit included. */
  readonly total: number;
  readonly files: number;
  readonly bytes: number;
  /** Files that could not be looked through, and why; they do not keep the search from the others. */
  readonly unread: readonly { readonly file: string; readonly why: string }[];
}

/** Looks through the raw bytes of every transcript, and decodes only lines that may hold what is looked for. */
export async function searchSessions(query: string, options: SearchOptions = {}): Promise<SearchResult> {
  checkSearch(query, options);
  const needle = searchPattern(query, options);
  const rank = hitRanking(options.limit ?? 50);
  let files = 0;
  let bytes = 0;
  const unread: { file: string; why: string }[] = [];
  if (query.trim() === "") return { hits: [], total: 0, files, bytes, unread };
  for await (const { place, file, agentId, sizeBytes } of filesToSearch(options)) {
    options.signal?.throwIfAborted();
    try {
      for await (const hit of hitsIn(file, needle, options))
        rank.add({ ...hit, session: place.id, place, ...(agentId === undefined ? {} : { agentId }) });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      unread.push({ file, why: error.message });
      continue;
    }
    files++;
    bytes += sizeBytes;
    options.progress?.({ files, bytes });
  }
  return { hits: await withTurns(rank.best()), total: rank.total, files, bytes, unread };
}

export function checkSearch(query: string, { limit, sinceMs }: SearchOptions): void {
  checkText("query", query);
  checkMs("sinceMs", sinceMs);
  if (limit !== undefined) checkCount("limit", limit);
}

/** Which texts count, by what was asked for. */
export function isWanted(kind: TextKind, { results = false, thinking = false }: SearchOptions): boolean {
  return kind === "result" ? results : kind === "thinking" ? thinking : true;
}

interface FileToSearch {
  readonly place: SessionPlace;
  readonly file: string;
  readonly agentId?: string;
  readonly sizeBytes: number;
}

/** The transcripts of all sessions, each session once. */
export async function* filesToSearch(options: SearchOptions): AsyncGenerator<FileToSearch, undefined> {
  const realFile = realFileFinder();
  const searched = new Set<string>();
  const filter = options.project === undefined ? undefined : await projectFolderFilter(options.project);
  for (const place of await bestPlaces(await findRoots(options))) {
    if (!(await belongsTo(place, filter))) continue;
    const real = await realFile(place);
    if (searched.has(real)) continue;
    searched.add(real);
    const agents = options.agents ? (await sessionFilesOf(place)).agents : [];
    for (const { file, agentId } of [{ file: place.file, agentId: undefined }, ...agents.map(agentFileToSearch)]) {
      const stats = await stat(file).catch(() => undefined); // undefined when it was deleted meanwhile
      if (stats === undefined || (options.sinceMs !== undefined && stats.mtimeMs < options.sinceMs)) continue;
      yield { place, file, ...defined({ agentId }), sizeBytes: stats.size };
    }
  }
}

function agentFileToSearch({ file, id }: SubagentFile): { file: string; agentId: string } {
  return { file, agentId: id };
}

async function belongsTo(place: SessionPlace, filter: ProjectFolderFilter | undefined): Promise<boolean> {
  if (filter === undefined || filter.names.has(place.project)) return true;
  const header = await readHeader(place.file).catch(() => undefined);
  return filter.paths.has(header?.cwd ?? "");
}

type FileHit = Omit<RankedHit, "session" | "place" | "agentId">;

async function* hitsIn(
  file: string,
  needle: SearchPattern,
  options: SearchOptions,
): AsyncGenerator<FileHit, undefined> {
  const reader = readLines(file, { tail: "give", signal: options.signal });
  let source: RecordSource | undefined;
  for await (const batch of reader) {
    source ??= recordSource(file, reader.cursor);
    for (const line of candidates(batch, needle)) {
      for (const record of recordsOf(source, line, isTranscriptRecord)) {
        if (record.kind === "record") yield* hitsOf(toEntry(record), needle, options);
      }
    }
  }
  if (reader.isCut) throw cutArchive(file);
}

/** Lines of a batch that may match. A batch is one buffer, so it is searched in one pass. */
function* candidates(batch: readonly Line[], needle: SearchPattern): Generator<Line> {
  const held = batch.filter(({ bytes }) => bytes !== undefined);
  const first = held[0]?.bytes;
  const last = held.at(-1)?.bytes;
  if (first === undefined || last === undefined) return;
  const start = first.byteOffset;
  const latin1 = Buffer.from(first.buffer, start, last.byteOffset + last.length - start).toString("latin1");
  const parts = [...placesOfParts(latin1)];
  const found = needle.mayMatch(latin1) ? needle.candidateOffsets(latin1) : [];
  let at = 0;
  let given = -1;
  for (const place of parts.length === 0 ? found : [...parts, ...found].sort((a, b) => a - b)) {
    while (at < held.length - 1 && (held[at + 1]?.bytes?.byteOffset ?? 0) - start <= place) at++;
    if (at !== given) yield held[at] as Line;
    given = at;
  }
}

/** Lines whose large parts are in files of their own: only the restored entry shows whether they hold the needle. */
function* placesOfParts(latin1: string): Generator<number> {
  const mark = '"hookline":{"parts":';
  for (let at = latin1.indexOf(mark); at >= 0; at = latin1.indexOf(mark, at + mark.length)) yield at;
}

export function* hitsOf(entry: Entry, needle: SearchPattern, options: SearchOptions): Generator<FileHit> {
  if (
    options.sinceMs !== undefined &&
    !(Date.parse(entry.timestamp ?? "") >= options.sinceMs) &&
    entry.timestamp !== undefined
  )
    return;
  for (const { kind, text } of searchTexts(entry)) {
    if (!isWanted(kind, options)) continue;
    const match = needle.find(text);
    if (match === undefined) continue;
    const { file, offset, length, uuid, timestamp } = entry;
    yield {
      file,
      offset,
      length,
      ...defined({ uuid, timestamp }),
      kind,
      phrase: match.phrase,
      snippet: snippetOf(text, match.from, match.to),
    };
  }
}

const around = 60;

/** The match with some text on both sides, on one line. */
function snippetOf(text: string, from: number, to: number): string {
  const start = Math.max(0, from - around);
  const end = Math.min(text.length, to + around);
  const part = text.slice(start, end).replace(/\s+/gu, " ");
  return `${start > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`;
}

const largestToLoad = 24 * 1024 * 1024;

/** Turns are a matter of the whole session, so they are looked up for the few hits that are shown. */
export async function withTurns(hits: readonly RankedHit[]): Promise<SearchHit[]> {
  const turns = new Map<string, Promise<ReadonlyMap<number, number>>>();
  return Promise.all(
    hits.map(async (hit) => {
      if (hit.agentId !== undefined) return hit;
      const known = turns.get(hit.file) ?? turnsByOffset(hit.place);
      turns.set(hit.file, known);
      const turn = (await known).get(hit.offset);
      return turn === undefined ? hit : { ...hit, turn };
    }),
  );
}

async function turnsByOffset(place: SessionPlace): Promise<ReadonlyMap<number, number>> {
  // Gone since it was searched, or too large: the hit is shown without its turn.
  const known = await stat(place.file).catch(() => undefined);
  if (known === undefined || known.size > largestToLoad) return new Map();
  const { main } = await sessionAt(place).load();
  return new Map(main.turns().turns.flatMap(({ number, entries }) => entries.map(({ offset }) => [offset, number])));
}
