import { stat } from "node:fs/promises";
import { join } from "node:path";
import { defined, fieldOf, groupBy } from "../../protocol/internal.ts";
import { readJsonObject } from "../home/client-json.ts";
import { type LiveSession, readRegistry } from "../home/live-sessions.ts";
import { checkMs } from "../option-checks.ts";
import { readHeader, type SessionHeader } from "../read/session-header.ts";
import { bestPlaces, countSubagents, realFileFinder, type SessionPlace } from "./session-files.ts";
import { findRoots, projectFolderFilter, type RootOptions, type RootOrigin } from "./session-roots.ts";

/** One session in a list, described by its path and by the first and last lines of its file. */
export interface SessionSummary {
  readonly id: string;
  readonly place: SessionPlace;
  readonly origin: RootOrigin;
  /** The working directory of most sessions in its folder; the name of the folder when no record has one. */
  readonly project: string;
  /** Other working directories found in the same folder. */
  readonly alsoUsedFor: readonly string[];
  readonly cwd?: string;
  readonly title?: string;
  readonly firstPrompt?: string;
  readonly lastPrompt?: string;
  readonly startedAt?: string;
  readonly lastAt?: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly version?: string;
  readonly branch?: string;
  readonly agents: number;
  readonly live: LiveSession["live"];
  /** Only the archived copy is left. */
  readonly goneAtSource: boolean;
}

export interface ListSessionsOptions extends RootOptions {
  /** Only sessions of this working directory. */
  readonly cwd?: string;
  /** Only sessions whose file changed since. */
  readonly sinceMs?: number;
  /** Aborts the listing. */
  readonly signal?: AbortSignal;
}

/** Sessions of all roots, latest activity first. A session that several roots hold is listed once. */
export async function* listSessions(options: ListSessionsOptions = {}): AsyncGenerator<SessionSummary, undefined> {
  checkMs("sinceMs", options.sinceMs);
  const places = await newestFirst(options);
  const liveState = new Map((await readRegistry(options)).map((session) => [session.sessionId, session.live]));
  const headers = headerReader();
  const placesByFolder = groupBy(
    places.map(({ place }) => place),
    ({ folder }) => folder,
  );
  const filter = options.cwd === undefined ? undefined : await projectFolderFilter(options.cwd);
  const realFile = realFileFinder();
  const listed = new Set<string>();
  for (const { place, modifiedMs } of places) {
    options.signal?.throwIfAborted();
    if (options.sinceMs !== undefined && modifiedMs < options.sinceMs) return;
    const header = await headers.of(place);
    if (header === undefined) continue;
    if (filter !== undefined && !filter.names.has(place.project) && !filter.paths.has(header.cwd ?? "")) continue;
    const file = await realFile(place);
    if (listed.has(file)) continue;
    listed.add(file);
    const { cwd, title, firstPrompt, lastPrompt, firstAt, lastAt, version, branch, sizeBytes } = header;
    yield {
      id: place.id,
      place,
      origin: place.root.origin,
      ...(await headers.projectOf(placesByFolder.get(place.folder) ?? [])),
      ...defined({ cwd, title, firstPrompt, lastPrompt, startedAt: firstAt, lastAt }),
      sizeBytes,
      modifiedMs,
      ...defined({ version, branch }),
      agents: await countSubagents(place),
      live: liveState.get(place.id) ?? "no",
      goneAtSource: place.root.origin === "archive",
    };
  }
}

interface DatedPlace {
  readonly place: SessionPlace;
  readonly modifiedMs: number;
}

async function newestFirst(options: ListSessionsOptions): Promise<DatedPlace[]> {
  const dated: DatedPlace[] = [];
  for (const place of await bestPlaces(await findRoots(options))) {
    options.signal?.throwIfAborted();
    const modifiedMs = await modifiedTime(place);
    if (modifiedMs !== undefined) dated.push({ place, modifiedMs });
  }
  return dated.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.place.file < b.place.file ? -1 : 1));
}

/** Undefined when the file was deleted meanwhile. The manifest of an archived session has the time of the original file. */
async function modifiedTime({ root, folder, id, file }: SessionPlace): Promise<number | undefined> {
  const manifest = root.origin === "archive" ? await readJsonObject(join(folder, `${id}.archive.json`)) : undefined;
  const archivedMs = fieldOf(fieldOf(manifest?.["files"], `${id}.jsonl`), "modifiedMs");
  if (typeof archivedMs === "number") return archivedMs;
  return (await stat(file).catch(() => undefined))?.mtimeMs;
}

/** The header of a file that exists and cannot be read. */
async function bareHeader(file: string): Promise<SessionHeader | undefined> {
  const stats = await stat(file).catch(() => undefined);
  return stats && { file, sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
}

interface Project {
  readonly project: string;
  readonly alsoUsedFor: readonly string[];
}

/** Reads each header and works out each project once. */
function headerReader() {
  const headers = new Map<string, Promise<SessionHeader | undefined>>();
  const projects = new Map<string, Promise<Project>>();
  const of = (place: SessionPlace): Promise<SessionHeader | undefined> => {
    const header = headers.get(place.file) ?? readHeader(place.file).catch(() => bareHeader(place.file));
    headers.set(place.file, header);
    return header;
  };
  async function projectFrom(places: readonly SessionPlace[]): Promise<Project> {
    const counts = new Map<string, number>();
    for (const place of places) {
      const cwd = (await of(place))?.cwd;
      if (cwd !== undefined) counts.set(cwd, (counts.get(cwd) ?? 0) + 1);
    }
    const byCount = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([cwd]) => cwd);
    return { project: byCount[0] ?? places[0]?.project ?? "", alsoUsedFor: byCount.slice(1) };
  }
  return {
    of,
    /** `places` are all sessions of one folder. */
    projectOf(places: readonly SessionPlace[]): Promise<Project> {
      const folder = places[0]?.folder ?? "";
      const project = projects.get(folder) ?? projectFrom(places);
      projects.set(folder, project);
      return project;
    },
  };
}
