import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, unless } from "../../files/index.ts";

/** A folder held open, so that what is done in it is done in this very folder, whatever becomes of the names above it. */
export interface Anchor {
  /** The path of a name in the folder, good while it is held. */
  at(name: string): string;
  close(): Promise<void>;
}

/**
 * Holds a folder, if the path leads to it without any link; a folder that is another one by now is an error.
 * Where the system cannot name a folder that is held open, the path is looked at once more instead.
 */
export async function anchor(folder: string): Promise<Anchor> {
  if (process.platform !== "linux") {
    if ((await realpath(folder)) !== folder) throw moved(folder);
    return { at: (name) => join(folder, name), close: () => Promise.resolve() };
  }
  // At once: three trips through the thread pool would take longer than all else that a call of Read does.
  const held = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const own = `/proc/self/fd/${held}`;
  if (readlinkSync(own) === folder) return { at: (name) => `${own}/${name}`, close: async () => closeSync(held) };
  closeSync(held);
  throw moved(folder);
}

/** The same, with folders made that are not there yet. */
export async function anchorMade(folder: string): Promise<Anchor> {
  const there = await unless(["ENOENT"], anchor(folder));
  if (there !== undefined) return there;
  const above = await anchorMade(dirname(folder));
  try {
    await mkdir(above.at(basename(folder)));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    await above.close();
  }
  return anchor(folder);
}

function moved(folder: string): Error {
  return new Error(`${folder} is no longer the folder it was when the call was judged. Nothing was done.`);
}
