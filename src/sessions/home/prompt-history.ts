import { join } from "node:path";
import { findRoots, type Where } from "../find/session-roots.ts";
import { recordsOf } from "../read/json-records.ts";
import { linesBackwards } from "../read/read-reverse.ts";

/** Something a person typed, as the client remembers it for its arrow keys. */
export interface HistoryEntry {
  readonly display: string;
  readonly timestampMs?: number;
  readonly project?: string;
  readonly sessionId?: string;
  readonly pastedContents?: unknown;
  readonly file: string;
  readonly offset: number;
}

export interface HistoryOptions extends Where {
  /** Only of this working directory. */
  readonly project?: string;
  /** Only entries that hold this text, in any case. */
  readonly text?: string;
  readonly signal?: AbortSignal;
}

/** What was typed, newest first, root by root. Lines that are no entries are passed over. */
export async function* readHistory(options: HistoryOptions = {}): AsyncGenerator<HistoryEntry, undefined> {
  const wanted = options.text?.toLowerCase();
  for (const root of await findRoots(options)) {
    for await (const entry of historyIn(join(root.path, "history.jsonl"), options.signal)) {
      if (options.project !== undefined && entry.project !== options.project) continue;
      if (wanted !== undefined && !entry.display.toLowerCase().includes(wanted)) continue;
      yield entry;
    }
  }
}

async function* historyIn(file: string, signal: AbortSignal | undefined): AsyncGenerator<HistoryEntry, undefined> {
  try {
    for await (const line of linesBackwards(file, signal)) {
      for (const record of recordsOf(line.source, line, ({ display }) => typeof display === "string")) {
        const entry = record.kind === "record" ? toHistory(record.object, file, record.offset) : undefined;
        if (entry !== undefined) yield entry;
      }
    }
  } catch (error) {
    // No history is an empty history.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function toHistory(object: Readonly<Record<string, unknown>>, file: string, offset: number): HistoryEntry | undefined {
  const { display, timestamp, project, sessionId, pastedContents } = object;
  if (typeof display !== "string") return undefined;
  return {
    display,
    ...(typeof timestamp === "number" ? { timestampMs: timestamp } : {}),
    ...(typeof project === "string" ? { project } : {}),
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(pastedContents === undefined ? {} : { pastedContents }),
    file,
    offset,
  };
}
