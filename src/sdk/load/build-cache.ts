import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isOwnState, packageVersion, statePath, whyUnsafe } from "../../files/internal.ts";

/** What a build was made of, so that the next start can tell without any tool whether it still holds. */
export interface BuildRecord {
  readonly made: string;
  readonly file: string;
  /** Whole texts, not digests: comparing costs less than loading a hash, and cannot be fooled. */
  readonly inputs: readonly { readonly path: string; readonly text: string }[];
  /** Names that led to other ones when it was made, the file's own first: a link can be pointed elsewhere. */
  readonly links: readonly (readonly [name: string, real: string])[];
  /** The name of the built module, beside the record; null: the author's file can be imported as it is. */
  readonly output: string | null;
  /** The same as a script, when it asks for nothing but Node and `hookline/sdk`: a script starts sooner than a module. */
  readonly script: string | null;
}

/** Paths of what was built. */
export interface CachedBuild {
  readonly module: string | undefined;
  readonly script: string | undefined;
}

export function buildsFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(statePath({ env }), "builds");
}

/** Builds of another version of this package or of Node are not ours; they lie beside ours under other names. */
export const maker: string = `${packageVersion()} builds 4 node ${process.versions.node.split(".", 1)[0]}`;

/**
 * A build that is still true to every one of its inputs; undefined when there is none.
 * Contract: nothing from a folder that others may write to, and nothing from the checkout, is ever taken for a build.
 */
export function cachedBuild(file: string, env: Readonly<Record<string, string | undefined>>): CachedBuild | undefined {
  try {
    const folder = buildsFolder(env);
    if (!isOwnState("builds", { env })) return undefined;
    const path = join(folder, recordName(file));
    if (whyUnsafe(lstatSync(path)) !== undefined) return undefined;
    const record = JSON.parse(readFileSync(path, "utf8")) as BuildRecord;
    if (record.made !== maker || record.file !== file || !holds(record)) return undefined;
    return { module: builtFile(folder, record.output), script: builtFile(folder, record.script) };
  } catch {
    return undefined; // no record, no longer readable, or an input is gone: it is built again, and that says what is wrong
  }
}

/** Whether a build is still true to every name and text it was made of. */
export function holds({ inputs, links }: BuildRecord): boolean {
  return (
    links.every(([name, real]) => realpathSync.native(name) === real) &&
    inputs.every(({ path, text }) => readFileSync(path, "utf8") === text)
  );
}

function builtFile(folder: string, name: string | null): string | undefined {
  if (name === null) return undefined;
  const path = join(folder, name);
  const stat = lstatSync(path);
  if (!/^[0-9a-f]{64}\.[mc]js$/.test(name) || !stat.isFile() || whyUnsafe(stat) !== undefined)
    throw new Error(`${name} is no build`);
  return path;
}

/** Short and harmless whatever the path holds. Two paths with one name only mean that both are built again and again. */
export function recordName(file: string): string {
  const key = `${maker}\n${file}`;
  let one = 0x811c9dc5;
  let two = 0x1b873593;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b) ^ (two >>> 13);
  }
  const hex = (value: number) => (value >>> 0).toString(16).padStart(8, "0");
  return `${hex(one)}${hex(two)}.json`;
}
