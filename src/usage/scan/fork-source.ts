import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gunzipSync } from "node:zlib";
import { openFor } from "../../files/internal.ts";
import { forkNotePath, forkOriginIn } from "../../sessions/index.ts";

const largestNote = 64 * 1024;

/** The session that a transcript was forked from, as the note beside it says. The lines of a fork do not. */
export function forkSource(path: string): string | undefined {
  const packed = path.endsWith(".gz") ? ".gz" : "";
  const note = forkNotePath({ folder: dirname(path), id: basename(path, `.jsonl${packed}`) });
  let descriptor: number;
  try {
    descriptor = openSync(`${note}${packed}`, openFor.reading);
  } catch {
    // No note, as beside nearly all transcripts, or one that cannot be read: then the lines alone tell.
    return undefined;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > largestNote) return undefined;
    const bytes = readFileSync(descriptor);
    const text = packed === "" ? bytes : gunzipSync(bytes, { maxOutputLength: largestNote });
    return forkOriginIn(text.toString("utf8"))?.sessionId;
  } catch {
    // A damaged copy of the note in an archive says nothing either.
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
