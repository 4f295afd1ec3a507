import { createHash } from "node:crypto";
import { join } from "node:path";
import { type HomeSource, statePath } from "../files/index.ts";

/** The private folder for long texts and input files of a session. An id is never a path. */
export function spillFolder(places: HomeSource, sessionId: string): string {
  const name = createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
  return join(statePath(places), "spill", name);
}
