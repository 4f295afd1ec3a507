import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { findRoots, findTranscripts, folderName, type TranscriptFile, type Where } from "../sessions/index.ts";

export interface WhichTranscripts extends Where {
  /** Sessions that began in this folder; every one there is unless told. */
  readonly project?: string | undefined;
  /** Files that were last written before this hold nothing newer. */
  readonly sinceMs?: number | undefined;
}

/** The transcripts to replay, agents behind their session, in the order of their paths. */
export async function chosenTranscripts(
  which: WhichTranscripts,
  onUnread: (path: string, error: unknown) => void,
): Promise<readonly TranscriptFile[]> {
  const names = which.project === undefined ? undefined : await folderNames(which.project);
  return findTranscripts(await findRoots(which), onUnread).filter(
    ({ project, mtimeMs }) =>
      (names?.has(project) ?? true) && (which.sinceMs === undefined || mtimeMs >= which.sinceMs),
  );
}

/** Clients name a project's folder after the path they were started in, linked or real. */
async function folderNames(project: string): Promise<ReadonlySet<string>> {
  const given = resolve(project);
  const real = await realpath(given).catch(() => given);
  return new Set([folderName(given), folderName(real)]);
}
