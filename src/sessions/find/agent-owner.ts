import { isRecord } from "../formats/claude-code/to-entry.ts";
import { recordsOf } from "../read/json-records.ts";
import { readLines } from "../read/read-lines.ts";

/** The first `sessionId` inside a transcript: whose agent this is, where the path does not say. Looks at 64 KiB at most. */
export async function sessionIdIn(file: string): Promise<string | undefined> {
  const lines = readLines(file, { chunkBytes: 64 * 1024, maxLineBytes: 64 * 1024, tail: "give" });
  for await (const batch of lines) {
    for (const line of batch) {
      for (const record of recordsOf({ path: file, dev: 0, ino: 0 }, line, isRecord)) {
        const id = record.kind === "record" ? record.object["sessionId"] : undefined;
        if (typeof id === "string") return id;
      }
    }
    if (lines.cursor.offset >= 64 * 1024) break;
  }
  return undefined;
}
