import type { Session } from "../../sessions/index.ts";

/** The session of a transcript; without entries when there is no such file. Sessions are loaded for those who ask only. */
export async function openTranscript(path: string | undefined): Promise<Session> {
  const { openSession } = await import("../../sessions/index.ts");
  return openSession(path ?? "no-transcript.jsonl", { missing: "empty" });
}
