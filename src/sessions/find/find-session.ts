import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Problem, plainLine } from "../../protocol/internal.ts";
import { safeId } from "../safe-paths.ts";
import { listSessions } from "./list-sessions.ts";
import { bestPlaces, realFileFinder, type SessionPlace } from "./session-files.ts";
import { findRoots, type RootOptions } from "./session-roots.ts";

export interface FindOptions extends RootOptions {
  /** The directory whose newest session `last` means. Default: the current directory. */
  readonly cwd?: string;
  /** Refuse paths: for names that come over a wire. */
  readonly idsOnly?: boolean;
  /** A path without a file is a session without entries instead of a problem. */
  readonly missing?: "empty";
}

/** Finds a session by full id, unique prefix of at least 4 characters, `last` (newest in this directory), or transcript path. */
export async function findSession(name: string, options: FindOptions = {}): Promise<SessionPlace> {
  if (!options.idsOnly && /\.jsonl(?:\.gz)?$/.test(name)) return placeOfFile(name, options.missing);
  if (name === "last") return newestPlace(options);
  safeId(name);
  const places = await candidates(name, options);
  const exact = places.filter(({ id }) => id === name);
  const matches = exact.length > 0 ? exact : places;
  const [match] = matches;
  if (match === undefined) throw notFound(name, "hookline sessions ls lists all sessions.");
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
  for (const place of await bestPlaces(await findRoots(where))) {
    if (place.id !== name && (name.length < 4 || !place.id.startsWith(name))) continue;
    const file = await realFile(place);
    if (!byFile.has(file) || basename(dirname(file)) === place.project) byFile.set(file, place);
  }
  return [...byFile.values()];
}

function ambiguous(name: string, places: readonly SessionPlace[]): Problem {
  const shown = places.slice(0, 10).map(({ id, project }) => `  ${id}  in ${plainLine(project)}`);
  const more = places.length > shown.length ? `\n  and ${places.length - shown.length} more` : "";
  return new Problem(
    "sessions/ambiguous",
    `"${name}" matches ${places.length} sessions:\n${shown.join("\n")}${more}\nPass a longer prefix or the path of the file.`,
    { about: { name, candidates: places.map(({ file }) => file) } },
  );
}

function notFound(name: string, hint: string, cause?: unknown): Problem {
  return new Problem("sessions/not-found", `no session "${plainLine(name)}". ${hint}`, {
    about: { name, candidates: [] },
    cause,
  });
}
