import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, openFolder } from "../../../files/index.ts";

/** Where a hook may leave `export A=1` lines for later shell calls: one file per session, event and hook. */
export async function envFilePath(root: string, sessionId: string, event: string, index: number): Promise<string> {
  const folder = join(root, "session-env", folderName(sessionId));
  await openFolder(folder);
  return join(folder, `${event.toLowerCase()}-hook-${index}.sh`);
}

/** The file's path if the hook wrote to it. */
export async function writtenEnvFile(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).size > 0 ? path : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** An id is never a path: one that could be becomes a hash. */
function folderName(sessionId: string): string {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(sessionId)) return sessionId;
  return createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
}
