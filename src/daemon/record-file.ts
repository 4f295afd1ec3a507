import { randomUUID } from "node:crypto";
import { mkdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import {
  type DaemonRecord,
  daemonFolderOf,
  daemonRecordMark,
  type Env,
  ignoringErrors,
  isFileProblem,
  openState,
  processStart,
  readDaemonRecord,
  replaceFile,
  startTag,
} from "../files/internal.ts";
import { appKey } from "../sdk/internal.ts";

export function recordPath(hooksFile: string, env: Env): string {
  return join(daemonFolder(hooksFile, env), "record");
}

/** Lines, not JSON: a shell reads it without another program. */
export async function writeDaemon(record: DaemonRecord, env: Env): Promise<void> {
  const { pid, start, port, version, token, secret, sourceHash, since, hooksFile } = record;
  const key = appKey(hooksFile);
  const fields = [daemonRecordMark, pid, start || "-", port, key, token, secret, version, sourceHash || "-", since];
  const lines = [fields.join(" "), record.node, record.socket, hooksFile];
  await replaceFile(recordPath(hooksFile, env), `${lines.join("\n")}\n`);
}

/** As `readDaemonRecord`, for the daemon of a hooks file. */
export function readDaemon(hooksFile: string, env: Env): Promise<DaemonRecord | undefined> {
  return readDaemonRecord(appKey(hooksFile), { env });
}

/** This process, as a record names it. */
export function ownStart(): string {
  return startTag(processStart(process.pid) ?? "");
}

/** A file's name may have 255 bytes; a longer path becomes folders in folders. */
const most = 200;

/**
 * Where a client that was given this path looks for the record. A shell without other programs can neither hash a path nor resolve its
 * links, so the path itself, as it was given, is the name of a link to the record. If the path leads to another hooks file by now, the
 * daemon rejects the call, since it gets the path.
 */
export function linkNameParts(given: string): { readonly folders: readonly string[]; readonly name: string } {
  let name = given.replaceAll("%", "%25").replaceAll("/", "%2F");
  const folders: string[] = [];
  for (; name.length > most; name = name.slice(most)) folders.push(`${name.slice(0, most)}+`);
  return { folders, name };
}

/** Lets clients that are given this path find the daemon of the hooks file. */
export async function linkRecord(given: string, env: Env): Promise<void> {
  // As the shell sees it: bytes, not characters, so that a cut may go through one.
  const { folders, name } = linkNameParts(Buffer.from(given).toString("latin1"));
  let folder: Buffer = Buffer.from(await openState(["daemon", "at"], { env }));
  for (const part of folders) {
    folder = below(folder, part);
    await ignoringErrors(["EEXIST"], mkdir(folder, 0o700));
  }
  const path = below(folder, name);
  const target = recordPath(given, env);
  if ((await ignoringErrors(["ENOENT", "EINVAL"], readlink(path))) === target) return;
  const temp = below(folder, `.${randomUUID()}.hookline-tmp`);
  await symlink(target, temp);
  await rename(temp, path);
}

function below(folder: Buffer, name: string): Buffer {
  return Buffer.concat([folder, Buffer.from(`/${name}`, "latin1")]);
}

export type OwnRecord = Awaited<ReturnType<typeof openOwnRecord>>;

/** The record of this very process, as long as it serves. */
export async function openOwnRecord(record: DaemonRecord, env: Env, complain: (line: string) => void) {
  await writeDaemon(record, env);
  let removed = false;
  // One after the other, so that the newest is written last.
  let writing: Promise<void> = Promise.resolve();
  const isOurs = async (ifUnknown: boolean): Promise<boolean> => {
    try {
      return (await readDaemon(record.hooksFile, env))?.secret === record.secret;
    } catch (error) {
      // What is not safely ours is not ours. Anything else, such as no descriptor left, says nothing about the record.
      return isFileProblem(error) ? false : ifUnknown;
    }
  };
  return {
    /** Whether clients find this daemon by it. They do not after the state folder was cleared, or when another daemon has started since. */
    isPublished: (): Promise<boolean> => isOurs(true),
    /** Other code answers now. */
    updateSource(sourceHash: string): void {
      if (removed) return;
      writing = writing
        .then(() => writeDaemon({ ...record, sourceHash }, env))
        .catch((error: unknown) => complain(`The record is old: ${String(error)}`));
    },
    /** Contract: another daemon's record is left alone, and once ours is removed it is not written again. */
    async remove(): Promise<void> {
      removed = true;
      await writing;
      if (await isOurs(false)) await rm(recordPath(record.hooksFile, env), { force: true });
    },
  };
}

export type { Env };

/** Where the daemon of a hooks file keeps its things. Touches nothing. */
export function daemonFolder(hooksFile: string, env: Env): string {
  return daemonFolderOf(appKey(hooksFile), { env });
}

/** The same, made if missing: 0700, refused when it is not safely ours. */
export function openDaemonFolder(hooksFile: string, env: Env): Promise<string> {
  return openState(["daemon", appKey(hooksFile)], { env });
}
