import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { defined, fieldOf, groupBy, memoized, Problem, plainLine } from "../../protocol/internal.ts";
import { readJsonObject } from "../home/claude-code-json.ts";
import { type LiveSession, liveSessions } from "../home/live-sessions.ts";
import { checkCallOptions, homeOptions } from "../option-checks.ts";
import { readHeader, type SessionHeader } from "../read/session-header.ts";
import { safeId } from "../safe-paths.ts";
import { bestPlaces, countSubagents, realFileFinder, type SessionPlace } from "./session-files.ts";
import { findRoots, projectFolderFilter, type RootOptions, type RootOrigin } from "./session-roots.ts";

/** One session in a list, described by its path and by the first and last lines of its file. */
export interface SessionSummary extends Omit<SessionHeader, "file" | "sessionId" | "firstAt" | "leaf"> {
  readonly id: string;
  readonly place: SessionPlace;
  readonly origin: RootOrigin;
  /** The working directory of most sessions in its folder; the name of the folder when no record has one. */
  readonly project: string;
  /** Other working directories found in the same folder. */
  readonly alsoUsedFor: readonly string[];
  readonly startedAt?: string;
  readonly agents: number;
  readonly live: LiveSession["live"];
  /** Only the archived copy is left. */
  readonly goneAtSource: boolean;
}

/** Options of `listSessions`. */
export interface ListSessionsOptions extends RootOptions {
  /** Only sessions of this working directory. */
  readonly cwd?: string;
  /** Only sessions whose last entry, or else whose file, is not older. */
  readonly sinceMs?: number;
  /** Aborts the listing. */
  readonly signal?: AbortSignal;
}

/** Sessions of all roots, the file that changed last first. A session that several roots hold is listed once. */
export async function* listSessions(options: ListSessionsOptions = {}): AsyncGenerator<SessionSummary, undefined> {
  checkCallOptions("listSessions", options, [...homeOptions, "roots", "cwd", "sinceMs", "signal"]);
  const places = await newestFirst(options);
  const { cwd: _cwd, sinceMs: _sinceMs, signal: _signal, ...where } = options;
  const running = await liveSessions({ ...where, all: true });
  const liveState = new Map(running.map(({ sessionId, live }) => [sessionId, live]));
  const headerOf = memoized((file: string) => readHeader(file).catch(() => bareHeader(file)));
  const folders = groupBy(places, ({ place }) => place.folder);
  const projectOf = memoized((folder: string) => projectFrom(folders.get(folder) ?? [], headerOf));
  const filter = options.cwd === undefined ? undefined : await projectFolderFilter(options.cwd);
  const realFile = realFileFinder();
  const listed = new Set<string>();
  for (const { place, modifiedMs } of places) {
    options.signal?.throwIfAborted();
    if (options.sinceMs !== undefined && modifiedMs < options.sinceMs) return;
    const header = await headerOf(place.file);
    if (header === undefined) continue;
    if (options.sinceMs !== undefined && lastActivity({ ...header, modifiedMs }) < options.sinceMs) continue;
    if (filter !== undefined && !filter.names.has(place.project) && !filter.paths.has(header.cwd ?? "")) continue;
    const file = await realFile(place);
    if (listed.has(file)) continue;
    listed.add(file);
    const { cwd, title, firstPrompt, lastPrompt, firstAt, lastAt, version, branch, sizeBytes } = header;
    yield {
      id: place.id,
      place,
      origin: place.root.origin,
      ...(await projectOf(place.folder)),
      ...defined({ cwd, title, firstPrompt, lastPrompt, startedAt: firstAt, lastAt }),
      sizeBytes,
      modifiedMs,
      ...defined({ version, branch }),
      agents: countSubagents(place),
      live: liveState.get(place.id) ?? "no",
      goneAtSource: place.root.origin === "archive",
    };
  }
}

/** When the last entry was written; the time of the file when the end of the file shows none. */
export function lastActivity({ lastAt, modifiedMs }: Pick<SessionSummary, "lastAt" | "modifiedMs">): number {
  const at = Date.parse(lastAt ?? "");
  return Number.isNaN(at) ? modifiedMs : at;
}

type DatedPlace = Pick<SessionSummary, "place" | "modifiedMs">;

async function newestFirst(options: ListSessionsOptions): Promise<DatedPlace[]> {
  const dated: DatedPlace[] = [];
  for (const place of bestPlaces(await findRoots(options))) {
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

/** `places` are all sessions of one folder. */
async function projectFrom(
  places: readonly DatedPlace[],
  headerOf: (file: string) => Promise<SessionHeader | undefined>,
): Promise<Pick<SessionSummary, "project" | "alsoUsedFor">> {
  const cwds: string[] = [];
  for (const { place } of places) {
    const cwd = (await headerOf(place.file))?.cwd;
    if (cwd !== undefined) cwds.push(cwd);
  }
  const [project = places[0]?.place.project ?? "", ...alsoUsedFor] = mostFrequentFirst(cwds);
  return { project, alsoUsedFor };
}

/** Each text once; texts that are as frequent are sorted. */
export function mostFrequentFirst(texts: readonly string[]): string[] {
  return [...groupBy(texts, (text) => text)]
    .sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .map(([text]) => text);
}

/** How `openSession` finds a session by its name. */
export interface FindOptions extends RootOptions {
  /** The directory whose newest session `last` means. Default: the current directory. */
  readonly cwd?: string;
  /** Refuse paths: for names that come over a wire. */
  readonly idsOnly?: boolean;
  /** A path without a file is a session without entries instead of a problem. */
  readonly missing?: "empty";
}

const shortestPrefix = 4;

/** Finds a session by full id, unique prefix of at least 4 characters, `last` (newest in this directory), or transcript path. */
export async function findSession(name: string, options: FindOptions = {}): Promise<SessionPlace> {
  if (!options.idsOnly && /\.jsonl(?:\.gz)?$/.test(name)) return placeOfFile(name, options.missing);
  if (name === "last") return newestPlace(options);
  safeId(name);
  const places = await candidates(name, options);
  const exact = places.filter(({ id }) => id === name);
  const matches = exact.length > 0 ? exact : places;
  const [match] = matches;
  const short =
    name.length < shortestPrefix ? `The beginning of an id needs at least ${shortestPrefix} characters. ` : "";
  if (match === undefined) throw notFound(name, `${short}hookline sessions ls lists all sessions.`);
  if (matches.length > 1) throw ambiguous(name, matches);
  return match;
}

async function placeOfFile(path: string, missing: FindOptions["missing"]): Promise<SessionPlace> {
  const file = await realpath(resolve(path)).catch((cause: unknown) => {
    if (missing === "empty") return resolve(path);
    throw notFound(path, "The file does not exist.", cause);
  });
  const folder = dirname(file);
  const id = basename(file).replace(/\.jsonl(?:\.gz)?$/, "");
  const parent = dirname(folder);
  const root = basename(parent) === "projects" ? dirname(parent) : folder;
  return { id: safeId(id), root: { path: root, origin: "client" }, project: basename(folder), folder, file };
}

async function newestPlace({ cwd = process.cwd(), ...where }: FindOptions): Promise<SessionPlace> {
  for await (const { place } of listSessions({ ...where, cwd })) return place;
  throw notFound("last", `No session was recorded in ${cwd}.`);
}

/** Sessions whose id begins with the name, each once. Of a file that a linked project folder also shows, the place without the link. */
async function candidates(name: string, where: RootOptions): Promise<SessionPlace[]> {
  const realFile = realFileFinder();
  const byFile = new Map<string, SessionPlace>();
  for (const place of bestPlaces(await findRoots(where))) {
    if (place.id !== name && (name.length < shortestPrefix || !place.id.startsWith(name))) continue;
    const file = await realFile(place);
    if (!byFile.has(file) || basename(dirname(file)) === place.project) byFile.set(file, place);
  }
  return [...byFile.values()];
}

function ambiguous(name: string, places: readonly SessionPlace[]): Problem {
  const shown = places.slice(0, 10).map(({ id, project }) => `  ${id}  in ${plainLine(project)}`);
  const more = places.length > shown.length ? `\n  and ${places.length - shown.length} more` : "";
  const message = `"${name}" matches ${places.length} sessions:\n${shown.join("\n")}${more}\nPass a longer prefix or the path of the file.`;
  return new Problem("sessions/ambiguous", message, { about: { name, candidates: places.map(({ file }) => file) } });
}

function notFound(name: string, hint: string, cause?: unknown): Problem {
  const message = `no session "${plainLine(name)}". ${hint}`;
  return new Problem("sessions/not-found", message, { about: { name, candidates: [] }, cause });
}
