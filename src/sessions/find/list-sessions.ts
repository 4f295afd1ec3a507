import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { defined, fieldOf, groupBy } from "../../protocol/internal.ts";
import { readJsonObject } from "../home/client-json.ts";
import { type LiveSession, readRegistry } from "../home/live-sessions.ts";
import { checkMs } from "../option-checks.ts";
import { readHeader, type SessionHeader } from "../read/session-header.ts";
import { countSubagents, findSessions, type SessionPlace } from "./session-files.ts";
import { findRoots, originRank, projectFolderFilter, type RootOptions, type RootOrigin } from "./session-roots.ts";

/** One session in a list: what its file's ends and its place say. */
export interface SessionSummary {
  readonly id: string;
  readonly place: SessionPlace;
  readonly origin: RootOrigin;
  /** The working directory most sessions of its folder have; the folder's name when no record has any. */
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
  /** Kept in the archive, and no longer where it was recorded. */
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

/** Sessions of all roots, newest activity first, as they are read. A session in several places is given once. */
export async function* listSessions(options: ListSessionsOptions = {}): AsyncGenerator<SessionSummary, undefined> {
  checkMs("sinceMs", options.sinceMs);
  const places = await newestFirst(options);
  const running = new Map((await readRegistry(options)).map((session) => [session.sessionId, session.live]));
  const headers = headerReader();
  const folders = groupBy(
    places.map(({ place }) => place),
    ({ folder }) => folder,
  );
  const wanted = options.cwd === undefined ? undefined : await projectFolderFilter(options.cwd);
  const fileOf = realFileFinder();
  const given = new Set<string>();
  for (const found of places) {
    options.signal?.throwIfAborted();
    if (options.sinceMs !== undefined && found.modifiedMs < options.sinceMs) return;
    const header = await headers.of(found.place);
    if (header === undefined) continue;
    if (wanted !== undefined && !wanted.names.has(found.place.project) && !wanted.paths.has(header.cwd ?? "")) continue;
    const file = await fileOf(found.place);
    if (given.has(file)) continue;
    given.add(file);
    yield summary(found, header, await headers.projectOf(folders.get(found.place.folder) ?? []), running);
  }
}

/** Where the file of a session really lies: a project folder may be a link to another, and then each of its sessions is found twice. */
export function realFileFinder(): (place: SessionPlace) => Promise<string> {
  const folders = new Map<string, Promise<string>>();
  return async ({ folder, file }) => {
    const real = folders.get(folder) ?? realpath(folder).catch(() => folder);
    folders.set(folder, real);
    return join(await real, basename(file));
  };
}

interface Dated {
  readonly place: SessionPlace;
  readonly modifiedMs: number;
  readonly goneAtSource: boolean;
}

async function newestFirst(options: ListSessionsOptions): Promise<Dated[]> {
  const found = new Map<string, Dated>();
  for await (const place of findSessions(await findRoots(options))) {
    options.signal?.throwIfAborted();
    const key = `${place.project}/${place.id}`;
    const other = found.get(key);
    if (other !== undefined && originRank[other.place.root.origin] <= originRank[place.root.origin]) continue;
    const modifiedMs = await modified(place);
    if (modifiedMs !== undefined) found.set(key, { place, modifiedMs, goneAtSource: place.root.origin === "archive" });
  }
  return [...found.values()].sort((a, b) => b.modifiedMs - a.modifiedMs || (a.place.file < b.place.file ? -1 : 1));
}

async function modified({ root, folder, id, file }: SessionPlace): Promise<number | undefined> {
  const kept = root.origin === "archive" ? await readJsonObject(join(folder, `${id}.archive.json`)) : undefined;
  const noted = fieldOf(fieldOf(kept?.["files"], `${id}.jsonl`), "modifiedMs");
  if (typeof noted === "number") return noted;
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    // It was deleted between the listing and now.
    return undefined;
  }
}

/** What a file that cannot be read is listed with. What went since it was found is not in the list. */
async function bareHeader(file: string): Promise<SessionHeader | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && { file, sizeBytes: found.size, modifiedMs: found.mtimeMs };
}

interface Project {
  readonly project: string;
  readonly alsoUsedFor: readonly string[];
}

/** Every header is read once, whether its own row or its folder's project asks for it first. */
function headerReader() {
  const headers = new Map<string, Promise<SessionHeader | undefined>>();
  const projects = new Map<string, Promise<Project>>();
  const of = (place: SessionPlace): Promise<SessionHeader | undefined> => {
    const known = headers.get(place.file) ?? readHeader(place.file).catch(() => bareHeader(place.file));
    headers.set(place.file, known);
    return known;
  };
  async function projectFrom(places: readonly SessionPlace[]): Promise<Project> {
    const counts = new Map<string, number>();
    for (const place of places) {
      const cwd = (await of(place))?.cwd;
      if (cwd !== undefined) counts.set(cwd, (counts.get(cwd) ?? 0) + 1);
    }
    const [most, ...others] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([cwd]) => cwd);
    return { project: most ?? places[0]?.project ?? "", alsoUsedFor: others };
  }
  return {
    of,
    projectOf(places: readonly SessionPlace[]): Promise<Project> {
      const folder = places[0]?.folder ?? "";
      const known = projects.get(folder) ?? projectFrom(places);
      projects.set(folder, known);
      return known;
    },
  };
}

async function summary(
  { place, modifiedMs, goneAtSource }: Dated,
  header: SessionHeader,
  project: Project,
  running: ReadonlyMap<string, LiveSession["live"]>,
): Promise<SessionSummary> {
  const { cwd, title, firstPrompt, lastPrompt, firstAt, lastAt, version, branch, sizeBytes } = header;
  return {
    id: place.id,
    place,
    origin: place.root.origin,
    ...project,
    ...defined({ cwd, title, firstPrompt, lastPrompt, startedAt: firstAt, lastAt }),
    sizeBytes,
    modifiedMs,
    ...defined({ version, branch }),
    agents: await countSubagents(place),
    live: running.get(place.id) ?? "no",
    goneAtSource,
  };
}

/**
 * Gives the same session under the name that its project folder really has. A project folder may be a link to another project folder, and
 * then each of its sessions is found under both names. Each folder is looked at once.
 */
export function projectFolderResolver(): (place: SessionPlace) => Promise<SessionPlace> {
  const known = new Map<string, Promise<string>>();
  return async (place) => {
    const name = known.get(place.folder) ?? realName(place.folder, place.project);
    known.set(place.folder, name);
    const project = await name;
    if (project === place.project) return place;
    const folder = join(dirname(place.folder), project);
    return { ...place, project, folder, file: join(folder, basename(place.file)) };
  };
}

async function realName(folder: string, project: string): Promise<string> {
  const [real, above] = await Promise.all([folder, dirname(folder)].map((path) => realpath(path).catch(() => path)));
  return real !== undefined && dirname(real) === above ? basename(real) : project;
}
