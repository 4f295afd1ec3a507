import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { appInputs, endBuilds } from "../sdk/index.ts";

/** The files an app is made of, as they were when it was loaded. */
export interface Sources {
  readonly files: readonly { readonly path: string; readonly mark: string }[];
  readonly hash: string;
}

/** Contract: never fails. A file that cannot be taken apart stands for itself; loading it says what is wrong. */
export async function readSources(file: string): Promise<Sources> {
  const paths = [...(await inputsOf(file))].sort();
  // The marks are taken before the content: what changes in between shows as a change.
  const files = paths.map((path) => ({ path, mark: markOf(path) }));
  return { files, hash: await hashOf(file, paths) };
}

/** True when a file was touched, whether or not its content is another. Costs one look at each file. */
export function touched({ files }: Sources): boolean {
  return files.some(({ path, mark }) => markOf(path) !== mark);
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

function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;
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
