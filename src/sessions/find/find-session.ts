import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Problem, plainLine } from "../../protocol/internal.ts";
import { safeId } from "../safe-paths.ts";
import { listSessions, realFileFinder } from "./list-sessions.ts";
import { findSessions, type SessionPlace } from "./session-files.ts";
import { findRoots, originRank, type RootOptions } from "./session-roots.ts";

export interface FindOptions extends RootOptions {
  /** The directory whose newest session `last` means. Default: the current directory. */
  readonly cwd?: string;
  /** Refuse paths: for names that come over a wire. */
  readonly idsOnly?: boolean;
  /** A path that names no file is a session without entries, not a problem. */
  readonly missing?: "empty";
}

/** A session by full id, unique prefix of 4 or more, `last` (newest in this directory), or path of a transcript. */
export async function findSession(name: string, options: FindOptions = {}): Promise<SessionPlace> {
  if (!options.idsOnly && /\.jsonl(?:\.gz)?$/.test(name)) return placeOf(name, options.missing);
  if (name === "last") return newest(options);
  safeId(name);
  const places = await candidates(name, options);
  const exact = places.filter(({ id }) => id === name);
  const [found, ...more] = exact.length > 0 ? exact : places;
  if (found === undefined) throw notFound(name, "hookline sessions ls lists the sessions there are.");
  if (more.length > 0) throw ambiguous(name, [found, ...more]);
  return found;
}

async function placeOf(path: string, missing: FindOptions["missing"]): Promise<SessionPlace> {
  const file = await realpath(resolve(path)).catch((cause: unknown) => {
    if (missing === "empty") return resolve(path);
    throw notFound(path, "There is no such file.", cause);
  });
  const folder = dirname(file);
  const id = basename(file).replace(/\.jsonl(?:\.gz)?$/, "");
  const above = dirname(folder);
  const root = basename(above) === "projects" ? dirname(above) : folder;
  return { id: safeId(id), root: { path: root, origin: "client" }, project: basename(folder), folder, file };
}

async function newest({ cwd = process.cwd(), ...where }: FindOptions): Promise<SessionPlace> {
  for await (const { place } of listSessions({ ...where, cwd })) return place;
  throw notFound("last", `No session was recorded in ${cwd}.`);
}

/** Sessions whose id begins with the name, each once. */
async function candidates(name: string, where: RootOptions): Promise<SessionPlace[]> {
  const found = new Map<string, SessionPlace>();
  for await (const place of findSessions(await findRoots(where))) {
    if (place.id !== name && (name.length < 4 || !place.id.startsWith(name))) continue;
    const key = `${place.project}/${place.id}`;
    const other = found.get(key);
    if (other === undefined || originRank[place.root.origin] < originRank[other.root.origin]) found.set(key, place);
  }
  return eachFileOnce([...found.values()]);
}

/** Of several places of one file, which a linked project folder gives, the one without the link. */
async function eachFileOnce(places: readonly SessionPlace[]): Promise<SessionPlace[]> {
  const fileOf = realFileFinder();
  const byFile = new Map<string, SessionPlace>();
  for (const place of places) {
    const file = await fileOf(place);
    if (!byFile.has(file) || basename(dirname(file)) === place.project) byFile.set(file, place);
  }
  return [...byFile.values()];
}

function ambiguous(name: string, places: readonly SessionPlace[]): Problem {
  const shown = places.slice(0, 10).map(({ id, project }) => `  ${id}  in ${plainLine(project)}`);
  const more = places.length > shown.length ? `\n  and ${places.length - shown.length} more` : "";
  return new Problem(
    "sessions/ambiguous",
    `"${name}" names ${places.length} sessions:\n${shown.join("\n")}${more}\nGive more of the id, or the path of the file.`,
    {
      about: { name, candidates: places.map(({ file }) => file) },
    },
  );
}

function notFound(name: string, hint: string, cause?: unknown): Problem {
  return new Problem("sessions/not-found", `no session "${plainLine(name)}". ${hint}`, {
    about: { name, candidates: [] },
    cause,
  });
}
