import { readFileSync, statSync } from "node:fs";
import { appInputs, endBuilds, fileStamp, hashInputs } from "../../sdk/internal.ts";

/** The files an app is made of, as they were when it was loaded. */
export interface Sources {
  readonly files: readonly SourceFile[];
  readonly hash: string;
}

interface SourceFile {
  readonly path: string;
  /** Changes with the file; empty when there is none, or it cannot be read. */
  readonly stamp: string;
  /** It changed so recently that the content may be older than the change, and a further change may not show. */
  readonly fresh: boolean;
}

/** Times on disk have a resolution. */
const stepMs = 50;

/** Contract: never fails. A file whose imports cannot be found counts alone; loading it reports the error. */
export async function readAppSources(file: string): Promise<Sources> {
  const settledAt = Date.now() - stepMs;
  const paths = [...(await inputsOf(file))].sort();
  // The stamps are taken before the content is read: a change in between shows as a change.
  const files = paths.map((path) => ({
    path,
    stamp: readOr("", () => fileStamp(path)),
    fresh: readOr(0, () => statSync(path).ctimeMs) > settledAt,
  }));
  return { files, hash: hashInputs(file, paths, (path) => readOr(Buffer.alloc(0), () => readFileSync(path))) };
}

/** True when a file was or may have been touched, whether or not its content differs. Costs one `stat` for each file. */
export function maybeChanged({ files }: Sources): boolean {
  for (const { path, stamp, fresh } of files) if (fresh || readOr("", () => fileStamp(path)) !== stamp) return true;
  return false;
}

async function inputsOf(file: string): Promise<readonly string[]> {
  try {
    return await appInputs(file);
  } catch {
    return [file]; // it does not parse; loading it reports why
  } finally {
    await endBuilds();
  }
}

/** A file that is missing or cannot be read counts as empty; loading it reports the error. */
function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
