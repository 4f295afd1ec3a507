import { readFile } from "node:fs/promises";

/** A file that other programs write. One that is gone since it was listed, or is not ours to read, has nothing to say. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined; // whatever keeps us from it, it is not this reader's to mend
  }
}
