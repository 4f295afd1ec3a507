import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { copyFile, link, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, readOrdinary, replaceFile, sweepLeftovers, tempName } from "../files/index.ts";

/** What entries of every scope may call; in a package as it is shipped, the script. */
export function shippedClient(packageRoot: string): string {
  return join(packageRoot, "client", "hookline-client");
}

/** What the script is called while the program lies in its place; the program knows the name too. */
export function keptScript(client: string): string {
  return `${client}.bash`;
}

/** The package's script, wherever it lies now; undefined when there is none. */
export function scriptIn(packageRoot: string): string | undefined {
  const client = shippedClient(packageRoot);
  return [client, keptScript(client)].find((path) => formAt(path) === "script");
}

/** Undefined when there is no such file. */
export function formAt(path: string): "script" | "program" | undefined {
  const head = Buffer.alloc(2);
  try {
    // Without waiting: a pipe could lie there.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!fstatSync(file).isFile()) return undefined;
      readSync(file, head);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "EISDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
  return head.toString() === "#!" ? "script" : "program";
}

/**
 * Puts the program where entries name the client; true when it was not there yet.
 * Contract: at every moment a whole client lies there that may be executed. The script is kept beside it, byte for byte.
 */
export async function putInPlace(program: string, packageRoot: string): Promise<boolean> {
  const client = shippedClient(await realpath(packageRoot));
  const bytes = readOrdinary(program);
  if (readOrdinary(client).equals(bytes)) return false;
  await keep(client);
  // A file of its own: the script's may be one that other projects have too (pnpm's store).
  await replaceFile(client, bytes);
  return true;
}

async function keep(client: string): Promise<void> {
  const temp = tempName(client);
  try {
    await link(client, temp).catch((error: unknown) => {
      // Not every file system knows second names.
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
      return copyFile(client, temp, constants.COPYFILE_EXCL);
    });
    // What was looked at is what is kept, whoever else installs here at the same time.
    if (formAt(temp) === "script") await rename(temp, keptScript(client));
  } finally {
    await rm(temp, { force: true });
  }
}

/** Puts the script back, as it was shipped; true when it was not there. What a killed install left goes too. */
export async function takeOutOfPlace(packageRoot: string): Promise<boolean> {
  const client = shippedClient(await realpath(packageRoot));
  const kept = keptScript(client);
  await sweepLeftovers(dirname(client));
  if (formAt(kept) !== "script") return false;
  const isOut = formAt(client) === "script";
  // A second name of the same file cannot be renamed to the first.
  if (isOut) await rm(kept);
  else await rename(kept, client);
  return !isOut;
}
