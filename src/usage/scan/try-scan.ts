import { messageOf } from "../../protocol/index.ts";
import type { CallTable } from "../calls/table.ts";
import type { Progress } from "./progress.ts";
import type { ScannedFile, Scanner } from "./scanner.ts";

/** A transcript, or a folder of them, that is there and cannot be read: its calls are in no figure. */
export interface UnreadFile {
  readonly file: string;
  readonly why: string;
}

/** Reads one file. "gone": it is not there any more. A file that cannot be read to its end leaves no rows in the table. */
export async function tryScan(
  scanner: Scanner,
  table: CallTable,
  file: ScannedFile,
  progress: Progress,
  beforeTail?: () => void,
): Promise<"read" | "gone" | UnreadFile> {
  const from = table.count;
  try {
    await scanner.scan(file, progress, beforeTail);
    return "read";
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    table.dropFrom(from);
    return code === "ENOENT" || code === "EISDIR" ? "gone" : unreadFile(file.path, error);
  }
}

export function unreadFile(file: string, error: unknown): UnreadFile {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  // The system repeats the path in its message.
  return { file, why: messageOf(cause).replace(/, \w+(?: '.*')?$/s, "") };
}

/** The code of an error that the disk or the file is to blame for. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code } = error;
  if (typeof code !== "string") return undefined;
  return code === "sessions/unreadable-file" || /^E[A-Z]+$/.test(code) ? code : undefined;
}
