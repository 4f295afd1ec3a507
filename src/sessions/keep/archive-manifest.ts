import { join } from "node:path";
import { type Fs, readPrivate, replaceFile } from "../../files/internal.ts";
import type { SessionPlace } from "../find/session-files.ts";

/** What an archive holds of one session, file by file. */
export interface ArchiveManifest {
  readonly version: 1;
  readonly session: string;
  /** Where the session was when it was archived last. */
  readonly source: string;
  readonly archivedAt: string;
  /** By path below the project folder, as it was at the source. */
  readonly files: Readonly<Record<string, ArchivedFile>>;
}

export interface ArchivedFile {
  /** Bytes of the source that are held. */
  readonly sizeBytes: number;
  /** Bytes of the compressed file that are accounted for; what lies behind them was left by a run that was killed. */
  readonly packedBytes: number;
  /** Of the first KiB: tells a file that has grown from another one. */
  readonly head: string;
  readonly modifiedMs: number;
  /** One for each stretch that was added, with the hash of its plain bytes. */
  readonly members: readonly { readonly sizeBytes: number; readonly packedBytes: number; readonly sha256: string }[];
}

export function manifestPath(archive: string, { project, id }: Pick<SessionPlace, "project" | "id">): string {
  return join(archive, "projects", project, `${id}.archive.json`);
}

/** Undefined when there is none, or none that can be read: then the session is archived anew beside what is there. */
export async function readManifest(path: string, fs: Fs): Promise<ArchiveManifest | undefined> {
  const bytes = await readPrivate(path, fs);
  if (bytes === undefined) return undefined;
  try {
    const value = JSON.parse(bytes.toString("utf8")) as ArchiveManifest;
    return value.version === 1 && typeof value.files === "object" && value.files !== null ? value : undefined;
  } catch {
    return undefined; // a manifest is replaced whole, so this is not ours
  }
}

export async function writeManifest(path: string, manifest: ArchiveManifest, fs: Fs): Promise<void> {
  await replaceFile(path, `${JSON.stringify(manifest)}\n`, { fs });
}
