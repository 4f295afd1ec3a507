import { join } from "node:path";
import {
  type DaemonRecord,
  daemonRecordMark,
  isDaemonAlive,
  processStart,
  readDaemonRecord,
  replaceFile,
  startTag,
} from "../files/internal.ts";
import { appKey } from "../sdk/internal.ts";
import { daemonFolder, type Env } from "./folder.ts";

export type { DaemonRecord } from "../files/internal.ts";

export function recordPath(hooksFile: string, env: Env): string {
  return join(daemonFolder(hooksFile, env), "record");
}

/** Lines, not JSON: a shell reads it without another program. */
export async function writeRecord(record: DaemonRecord, env: Env): Promise<void> {
  const { pid, start, port, version, token, secret, sourceHash, since, hooksFile } = record;
  const key = appKey(hooksFile);
  const words = [daemonRecordMark, pid, start || "-", port, key, token, secret, version, sourceHash || "-", since];
  await replaceFile(
    recordPath(record.hooksFile, env),
    `${[words.join(" "), record.node, record.socket, record.hooksFile].join("\n")}\n`,
  );
}

/** As `readDaemonRecord`, for the daemon of a hooks file. */
export function readRecord(hooksFile: string, env: Env): Promise<DaemonRecord | undefined> {
  return readDaemonRecord(appKey(hooksFile), { env });
}

export function isAlive(process: { readonly pid: number; readonly start: string }): boolean {
  return isDaemonAlive(process);
}

/** This process, as a record names it. */
export function ownStart(): string {
  return startTag(processStart(process.pid) ?? "");
}
