import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SessionPlace } from "./session-files.ts";

/**
 * Gives the same session under the name that its project folder really has. A project folder may be a link to another project folder, and
 * then each of its sessions is found under both names. Each folder is looked at once.
 */
export function unlinker(): (place: SessionPlace) => Promise<SessionPlace> {
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
