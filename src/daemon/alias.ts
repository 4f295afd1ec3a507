import { join } from "node:path";
import { openFolder, openState, replaceFile, statePath } from "../files/index.ts";
import { appKey } from "../sdk/index.ts";
import type { Env } from "./folder.ts";

/** A file's name may have 255 bytes; a longer path becomes folders in folders. */
const most = 200;

/**
 * Where a client that was given this path looks for the app's key. A shell without other programs can neither hash nor resolve links,
 * so the path itself, as it was given, is the name. A link that points elsewhere by now is found out by the daemon, which is told the path.
 */
export function aliasParts(given: string): { readonly folders: readonly string[]; readonly name: string } {
  let name = given.replaceAll("%", "%25").replaceAll("/", "%2F");
  const folders: string[] = [];
  for (; name.length > most; name = name.slice(most)) folders.push(`${name.slice(0, most)}+`);
  return { folders, name };
}

/** Lets clients that are given this path find the daemon of the hooks file. */
export async function writeAlias(given: string, env: Env): Promise<void> {
  // As the shell sees it: bytes, not characters.
  const { folders, name } = aliasParts(Buffer.from(given).toString("latin1"));
  const bytes = (text: string) => Buffer.from(text, "latin1").toString();
  await openState(["daemon", "at"], { env });
  let folder = join(statePath({ env }), "daemon", "at");
  for (const part of folders) {
    folder = join(folder, bytes(part));
    await openFolder(folder);
  }
  await replaceFile(join(folder, bytes(name)), `${appKey(given)}\n`);
}
