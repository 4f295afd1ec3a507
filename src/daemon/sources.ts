import { createHash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { appInputs, endBuilds } from "../sdk/index.ts";

/** The files an app is made of, as they were when it was loaded. */
export interface Sources {
  readonly files: readonly { readonly path: string; readonly mark: Mark | undefined }[];
  readonly hash: string;
}

/** By what a change of a file shows; undefined: there is none. */
type Mark = Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino">;

/** Contract: never fails. A file that cannot be taken apart stands for itself; loading it says what is wrong. */
export async function readSources(file: string): Promise<Sources> {
  const paths = [...(await inputsOf(file))].sort();
  // The marks are taken before the content: what changes in between shows as a change.
  const files = paths.map((path) => ({ path, mark: markOf(path) }));
  return { files, hash: await hashOf(file, paths) };
}

/** True when a file was touched, whether or not its content is another. Costs one look at each file. */
export function touched({ files }: Sources): boolean {
  for (const { path, mark } of files) if (!sameMark(markOf(path), mark)) return true;
  return false;
}

async function inputsOf(file: string): Promise<readonly string[]> {
  try {
    return await appInputs(file);
  } catch {
    return [file]; // it does not parse; whoever loads it says so
  } finally {
    await endBuilds();
  }
}

function markOf(path: string): Mark | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function sameMark(one: Mark | undefined, other: Mark | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const { size, mtimeMs, ctimeMs, ino } = one;
  return size === other.size && mtimeMs === other.mtimeMs && ctimeMs === other.ctimeMs && ino === other.ino;
}

async function hashOf(file: string, paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    const name = relative(dirname(file), path).split(sep).join("/");
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    hash.update(`${name}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
