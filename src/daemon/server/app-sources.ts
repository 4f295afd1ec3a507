import { readFileSync, type Stats, statSync } from "node:fs";
import { appInputs, endBuilds, hashInputs } from "../../sdk/internal.ts";

/** The files an app is made of, as they were when it was loaded. */
export interface Sources {
  readonly files: readonly SourceFile[];
  readonly hash: string;
}

interface SourceFile {
  readonly path: string;
  readonly mark: Mark | undefined;
  /** It changed so lately that what was read may be older, and a further change may not show. */
  readonly fresh: boolean;
}

/** By what a change of a file shows; undefined: there is none, or it cannot be looked at. */
type Mark = Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino">;

/** Times on disk go in steps. */
const stepMs = 50;

/** Contract: never fails. A file that cannot be taken apart stands for itself; loading it says what is wrong. */
export async function readAppSources(file: string): Promise<Sources> {
  const settledAt = Date.now() - stepMs;
  const paths = [...(await inputsOf(file))].sort();
  // The marks are taken before the content: what changes in between shows as a change.
  const files = paths.map((path) => {
    const mark = markOf(path);
    return { path, mark, fresh: mark !== undefined && mark.ctimeMs > settledAt };
  });
  return { files, hash: hashInputs(file, paths, readOrEmpty) };
}

/** True when a file was or may have been touched, whether or not its content is another. Costs one look at each file. */
export function maybeChanged({ files }: Sources): boolean {
  for (const { path, mark, fresh } of files) if (fresh || !sameMark(markOf(path), mark)) return true;
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

function markOf(path: string): Mark | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a circular link, an unreadable folder: loading it reports why
  }
}

function sameMark(one: Mark | undefined, other: Mark | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const { size, mtimeMs, ctimeMs, ino } = one;
  return size === other.size && mtimeMs === other.mtimeMs && ctimeMs === other.ctimeMs && ino === other.ino;
}

/** A file that cannot be read counts as empty. */
function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0); // loading it says what is wrong
  }
}
