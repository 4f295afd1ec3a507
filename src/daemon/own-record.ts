import { rm } from "node:fs/promises";
import type { Env } from "./folder.ts";
import { type DaemonRecord, recordPath, writeRecord } from "./record.ts";

/** The record of this very process, as long as it serves. */
export interface OwnRecord {
  /** Other code answers now. */
  say(sourceHash: string): void;
  /** Contract: once it is gone nothing of ours writes it again, for then it may be another daemon's. */
  remove(): Promise<void>;
}

export async function openOwnRecord(
  record: DaemonRecord,
  env: Env,
  complain: (line: string) => void,
): Promise<OwnRecord> {
  await writeRecord(record, env);
  let removed = false;
  // One after the other, so that the last word is the newest.
  let writing: Promise<void> = Promise.resolve();
  return {
    say(sourceHash) {
      if (removed) return;
      writing = writing
        .then(() => writeRecord({ ...record, sourceHash }, env))
        .catch((error: unknown) => complain(`The record is old: ${String(error)}`));
    },
    async remove() {
      removed = true;
      await writing;
      await rm(recordPath(record.hooksFile, env), { force: true });
    },
  };
}
