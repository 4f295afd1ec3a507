import { dirname, join } from "node:path";
import { ensureFolder, type Fs, replaceFile } from "../../files/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";

/** What a session came from. It stands beside the lines, which every reader takes for the conversation's own. */
export interface ForkOrigin {
  readonly sessionId: string;
  /** The last entry that both have. */
  readonly at?: string;
}

/** `<session>/hookline.json` */
export function forkNotePath(place: Pick<SessionPlace, "folder" | "id">): string {
  return join(place.folder, place.id, "hookline.json");
}

export async function writeForkNote(place: SessionPlace, from: ForkOrigin, now: number, fs: Fs): Promise<void> {
  const path = forkNotePath(place);
  await ensureFolder(dirname(path), fs);
  const note = { forkedFrom: from, forkedAt: new Date(now).toISOString() };
  await replaceFile(path, `${JSON.stringify(note, null, 2)}\n`, { fs });
}

/** The origin in a note's text; undefined when it is not one of ours. */
export function forkOriginIn(text: string): ForkOrigin | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // a note that cannot be read says nothing
  }
  const from = typeof value === "object" && value !== null && "forkedFrom" in value ? value.forkedFrom : undefined;
  if (typeof from !== "object" || from === null) return undefined;
  const { sessionId, at } = from as Record<string, unknown>;
  if (typeof sessionId !== "string") return undefined;
  return { sessionId, ...(typeof at === "string" ? { at } : {}) };
}
