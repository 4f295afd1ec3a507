import type { Session } from "../../sessions/index.ts";

/** Below a file there is nothing, on every system. */
const nowhere = `${process.execPath}/no-transcript.jsonl`;

/**
 * The session of a transcript, as handlers see it: without entries when no path is given, when it names none, and when there is no such
 * file. The reader is loaded for those who ask only.
 */
export async function openTranscript(path: string | undefined): Promise<Session> {
  const { openSession } = await import("../../sessions/index.ts");
  // Other words would be looked up as the name of a session, which no host means.
  const file = path !== undefined && /\.jsonl(?:\.gz)?$/.test(path) ? path : nowhere;
  return openSession(file, { missing: "empty" });
}
