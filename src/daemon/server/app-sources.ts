import { readFileSync, statSync } from "node:fs";
import { attempt } from "../../protocol/internal.ts";
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

/** Contract: never fails. A file whose imports cannot be found counts alone, one that cannot be read as empty; loading it reports the error. */
export async function readAppSources(file: string): Promise<Sources> {
  const settledAt = Date.now() - stepMs;
  const paths = [...(await inputsOf(file))].sort();
  // The stamps are taken before the content is read: a change in between shows as a change.
  const files = paths.map((path) => ({
    path,
    stamp: attempt(() => fileStamp(path)) ?? "",
    fresh: (attempt(() => statSync(path).ctimeMs) ?? 0) > settledAt,
  }));
  return { files, hash: hashInputs(file, paths, (path) => attempt(() => readFileSync(path)) ?? Buffer.alloc(0)) };
}

/** True when a file was or may have been touched, whether or not its content differs. Costs one `stat` for each file. */
export function maybeChanged({ files }: Sources): boolean {
  return files.some(({ path, stamp, fresh }) => fresh || (attempt(() => fileStamp(path)) ?? "") !== stamp);
}

/** Only the file itself when it does not parse. */
function inputsOf(file: string): Promise<readonly string[]> {
  return appInputs(file)
    .catch(() => [file])
    .finally(endBuilds);
}
