import { randomUUID } from "node:crypto";
import { mkdir, readlink, rename, symlink } from "node:fs/promises";
import { openState, unless } from "../files/internal.ts";
import type { Env } from "./folder.ts";
import { recordPath } from "./record-file.ts";

/** A file's name may have 255 bytes; a longer path becomes folders in folders. */
const most = 200;

/**
 * Where a client that was given this path looks for the record. A shell without other programs can neither hash a path nor resolve its
 * links, so the path itself, as it was given, is the name of a link to the record. Should it lead to another hooks file by now, the daemon
 * says so, for it is told the path.
 */
export function aliasParts(given: string): { readonly folders: readonly string[]; readonly name: string } {
  let name = given.replaceAll("%", "%25").replaceAll("/", "%2F");
  const folders: string[] = [];
  for (; name.length > most; name = name.slice(most)) folders.push(`${name.slice(0, most)}+`);
  return { folders, name };
}

/** Lets clients that are given this path find the daemon of the hooks file. */
export async function writeAlias(given: string, env: Env): Promise<void> {
  // As the shell sees it: bytes, not characters, so that a cut may go through one.
  const { folders, name } = aliasParts(Buffer.from(given).toString("latin1"));
  let folder: Buffer = Buffer.from(await openState(["daemon", "at"], { env }));
  for (const part of folders) {
    folder = below(folder, part);
    await unless(["EEXIST"], mkdir(folder, 0o700));
  }
  const path = below(folder, name);
  const target = recordPath(given, env);
  if ((await unless(["ENOENT", "EINVAL"], readlink(path))) === target) return;
  const temp = below(folder, `.${randomUUID()}.hookline-tmp`);
  await symlink(target, temp);
  await rename(temp, path);
}

function below(folder: Buffer, name: string): Buffer {
  return Buffer.concat([folder, Buffer.from(`/${name}`, "latin1")]);
}
