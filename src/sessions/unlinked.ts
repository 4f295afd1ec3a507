import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SessionPlace } from "./formats/claude-code/locate.ts";

/**
 * The same session under the name that its project folder really has. A project folder may be a link to another one beside it, and then
 * each of its sessions is found under both names.
 */
export async function unlinked(place: SessionPlace): Promise<SessionPlace> {
  const above = dirname(place.folder);
  const [real, realAbove] = await Promise.all([place.folder, above].map((path) => realpath(path).catch(() => path)));
  if (real === undefined || dirname(real) !== realAbove) return place;
  const folder = join(above, basename(real));
  return { ...place, project: basename(real), folder, file: join(folder, basename(place.file)) };
}
