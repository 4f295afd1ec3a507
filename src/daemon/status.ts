import type { Env } from "./folder.ts";
import { readRecord } from "./record-file.ts";

export interface DaemonStatus {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly port: number;
  readonly version: string;
  /** Of the code that it answers with. */
  readonly sourceHash: string;
}

/** The daemon that answers for a hooks file; undefined when none runs. */
export async function daemonStatus(
  hooksFile: string,
  { env = process.env }: { env?: Env } = {},
): Promise<DaemonStatus | undefined> {
  const record = await readRecord(hooksFile, env);
  if (record === undefined) return undefined;
  const { pid, since, port, version, sourceHash } = record;
  return { pid, since, port, version, sourceHash };
}
