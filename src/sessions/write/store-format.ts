import { join } from "node:path";
import { type Fs, readPrivate, replaceFile } from "../../files/internal.ts";
import { Problem } from "../../protocol/index.ts";

/** Raised by one when what we write can no longer be read by those who wrote it before. */
const storeFormat = 1;

const name = "hookline-store.json";

/** Marks a new store with our format. Contract: a store of a newer format is refused, and not a byte of it changes. */
export async function checkFormat(root: string, fs: Fs): Promise<void> {
  if ((await refuseNewer(root, fs)) !== undefined) return;
  await replaceFile(join(root, name), `${JSON.stringify({ format: storeFormat })}\n`, { fs, expect: null });
}

/** The format of a store that may be written to; one that is newer than all we know is `sessions/newer-format`. */
export async function refuseNewer(root: string, fs: Fs): Promise<number | undefined> {
  const found = await readFormat(root, fs);
  if (found === undefined || found <= storeFormat) return found;
  throw new Problem(
    "sessions/newer-format",
    `${root} was written by a newer Hookline (format ${found}, this one knows ${storeFormat}). It can be read; to write to it, update Hookline or use another folder.`,
    { about: { root, format: found, known: storeFormat } },
  );
}

/** Undefined when nobody wrote one yet; a mark that cannot be read counts as newer than all we know. */
async function readFormat(root: string, fs: Fs): Promise<number | undefined> {
  const bytes = await readPrivate(join(root, name), fs);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const format = typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
    return typeof format === "number" ? format : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY; // said by checkFormat
  }
}
