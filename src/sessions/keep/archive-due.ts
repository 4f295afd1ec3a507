import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Fs, nodeFs, unless } from "../../files/internal.ts";
import { unlinker } from "../find/real-project-folder.ts";
import { findSessions, type SessionPlace } from "../find/session-files.ts";
import { archiveRoot, findRoots, type Root, type Where } from "../find/session-roots.ts";
import { openFile } from "../read/byte-source.ts";
import { manifestPath, readManifest } from "./archive-manifest.ts";

/** A session that its client will delete soon, and that no archive holds whole. */
export interface DueSession {
  readonly place: SessionPlace;
  readonly dueAt: string;
  /** Bytes of its transcript that are not archived. */
  readonly missingBytes: number;
}

export interface DueOptions extends Where {
  readonly withinDays?: number;
  readonly now?: () => number;
  /** Where the archive lies instead of the user's state folder. */
  readonly archive?: string;
  readonly fs?: Fs;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Clients delete sessions that were not touched for a while; these are next. */
export async function sessionsDue(options: DueOptions = {}): Promise<DueSession[]> {
  const { withinDays = 7, now = Date.now, fs = nodeFs, archive = archiveRoot(options).path } = options;
  const due: DueSession[] = [];
  const files = new Set<string>();
  const unlinked = unlinker();
  for (const root of await findRoots(options)) {
    if (root.origin !== "client") continue;
    const days = await cleanupDays(root);
    for await (const found of findSessions([root])) {
      const place = await unlinked(found);
      if (files.has(place.file)) continue;
      files.add(place.file);
      const stats = await unless(["ENOENT"], stat(place.file));
      const dueMs = stats === undefined ? Number.POSITIVE_INFINITY : stats.mtimeMs + days * dayMs;
      if (stats === undefined || dueMs > now() + withinDays * dayMs) continue;
      const held = await heldBytes(archive, place, fs);
      if (held >= stats.size) continue;
      due.push({ place, dueAt: new Date(dueMs).toISOString(), missingBytes: stats.size - held });
    }
  }
  return due.sort((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
}

async function heldBytes(archive: string, place: SessionPlace, fs: Fs): Promise<number> {
  const manifest = await readManifest(manifestPath(archive, place), fs);
  return manifest?.files[`${place.id}.jsonl`]?.sizeBytes ?? 0;
}

async function readText(path: string): Promise<string | undefined> {
  // Settings that are not there, not ours to read, or no file say nothing.
  const file = await openFile(path).catch(() => undefined);
  return file?.readFile("utf8").finally(() => file.close());
}

/** `cleanupPeriodDays` of the client's own settings; 30 when it says nothing that can be read. */
async function cleanupDays({ path }: Root): Promise<number> {
  const text = await readText(join(path, "settings.json"));
  const days = Number(/"cleanupPeriodDays"\s*:\s*(\d+)/.exec(text ?? "")?.[1] ?? 30);
  return Number.isSafeInteger(days) ? days : 30;
}
