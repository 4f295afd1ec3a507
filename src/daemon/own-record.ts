import { rm } from "node:fs/promises";
import { isFileProblem } from "../files/internal.ts";
import type { Env } from "./folder.ts";
import { type DaemonRecord, readRecord, recordPath, writeRecord } from "./record-file.ts";

/** The record of this very process, as long as it serves. */
export interface OwnRecord {
  /** Other code answers now. */
  say(sourceHash: string): void;
  /** Whether clients find us by it. Not when somebody has cleared the state folder, and maybe another daemon has come since. */
  isThere(): Promise<boolean>;
  /** Contract: another daemon's record is left alone, and once ours is gone nothing of ours writes it again. */
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
  const isOurs = async (ifUnknown: boolean): Promise<boolean> => {
    try {
      return (await readRecord(record.hooksFile, env))?.secret === record.secret;
    } catch (error) {
      // What is not safely ours is not ours. Anything else, such as no descriptor left, says nothing about the record.
      return isFileProblem(error) ? false : ifUnknown;
    }
  };
  return {
    isThere: () => isOurs(true),
    say(sourceHash) {
      if (removed) return;
      writing = writing
        .then(() => writeRecord({ ...record, sourceHash }, env))
        .catch((error: unknown) => complain(`The record is old: ${String(error)}`));
    },
    async remove() {
      removed = true;
      await writing;
      if (await isOurs(false)) await rm(recordPath(record.hooksFile, env), { force: true });
    },
  };
}
