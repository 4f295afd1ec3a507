import { lstatSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isStateFolderSafe, makeFolderSync, packageVersion, statePath, unsafeReason } from "../../files/internal.ts";

/** What a build was made of, so that the next start can tell without any tool whether it still holds. */
export interface BuildRecord {
  readonly made: string;
  readonly file: string;
  /** Whole texts, not digests: comparing costs less than loading a hash, and cannot be fooled. */
  readonly inputs: readonly { readonly path: string; readonly text: string }[];
  /** Names that led to other ones when it was made, the file's own first: a link can be pointed elsewhere. */
  readonly links: readonly (readonly [name: string, real: string])[];
  /** The name of the built module, next to the record; null: the author's file can be imported unchanged. */
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

/** Builds of another version of this package or of Node are not used; they have other names. */
export const builderTag: string = `${packageVersion()} builds 4 node ${process.versions.node.split(".", 1)[0]}`;

/**
 * A build that is still true to every one of its inputs; undefined when there is none.
 * Contract: nothing from a folder that others may write to, and nothing from the checkout, is ever taken for a build.
 */
export function cachedBuild(file: string, env: Readonly<Record<string, string | undefined>>): CachedBuild | undefined {
  try {
    const folder = buildsFolder(env);
    if (!isStateFolderSafe("builds", { env })) return undefined;
    const path = join(folder, recordName(file));
    if (unsafeReason(lstatSync(path)) !== undefined) return undefined;
    const record = JSON.parse(readFileSync(path, "utf8")) as BuildRecord;
    if (record.made !== builderTag || record.file !== file || !isUpToDate(record)) return undefined;
    return { module: safeBuildPath(folder, record.output), script: safeBuildPath(folder, record.script) };
  } catch {
    return undefined; // no record, not readable, or an input is missing: it is built again, and the build reports what is wrong
  }
}

/** Whether a build is still true to every name and text it was made of. */
export function isUpToDate({ inputs, links }: BuildRecord): boolean {
  return (
    links.every(([name, real]) => realpathSync.native(name) === real) &&
    inputs.every(({ path, text }) => readFileSync(path, "utf8") === text)
  );
}

function safeBuildPath(folder: string, name: string | null): string | undefined {
  if (name === null) return undefined;
  const path = join(folder, name);
  const stat = lstatSync(path);
  if (!/^[0-9a-f]{64}\.[mc]js$/.test(name) || !stat.isFile() || unsafeReason(stat) !== undefined)
    throw new Error(`${name} is no build`);
  return path;
}

/** Short and harmless whatever the path holds. Two paths with one name only mean that both are built again and again. */
export function recordName(file: string): string {
  const key = `${builderTag}\n${file}`;
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

type Env = Readonly<Record<string, string | undefined>>;

/** A hash and the files it was made of, each with what shows a change. */
interface CachedHash {
  readonly hash: string;
  readonly files: readonly (readonly [path: string, mark: string])[];
  /** Of the build's record: with a new one the app may be made of other files. */
  readonly build: string;
}

/**
 * What an app's code was, for the log: a SHA-256 over the files it is made of, the same that the daemon and `install` reckon. The list
 * of files is the build's; a file that names no other stands for itself. The hash is kept from one process to the next, since loading a
 * hash costs more than writing the log.
 * Contract: undefined when it is unknown without a build; it never throws.
 */
export function sourceHash(file: string, env: Env): string | undefined {
  try {
    const build = join(buildsFolder(env), recordName(file));
    const kept = build.replace(/\.json$/, ".source.json");
    return cachedHash(kept, file, build) ?? computeHash(file, kept, build);
  } catch {
    return undefined; // gone since it was loaded, or no folder to keep it in
  }
}

function cachedHash(kept: string, file: string, build: string): string | undefined {
  if (statSync(kept, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    const known = JSON.parse(readFileSync(kept, "utf8")) as CachedHash;
    const holds = known.build === fileStamp(build) && known.files.every(([path, mark]) => fileStamp(path) === mark);
    return holds && known.files.some(([path]) => path === realpathSync.native(file)) ? known.hash : undefined;
  } catch {
    return undefined; // torn, because a process was killed: it is made again
  }
}

function computeHash(file: string, kept: string, build: string): string | undefined {
  const paths = builtFrom(file, build) ?? singleFile(realpathSync.native(file));
  if (paths === undefined) return undefined;
  const files = paths.map((path): [string, string] => [path, fileStamp(path)]);
  const known: CachedHash = { hash: hashInputs(realpathSync.native(file), paths), files, build: fileStamp(build) };
  makeFolderSync(dirname(kept));
  writeFileSync(kept, JSON.stringify(known), { mode: 0o600 });
  return known.hash;
}

/** The hash of a hooks file and what it imports, by their paths from its folder. Install records, the daemon and the log compare it. */
export function hashInputs(
  file: string,
  paths: readonly string[],
  read: (path: string) => Buffer = readFileSync,
): string {
  // Not imported: a hook process loads this module and mostly needs no hash.
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const path of paths) {
    const bytes = read(path);
    hash.update(`${relative(dirname(file), path).split(sep).join("/")}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

/** The files of a build that is still true to them: changed code may import others. */
function builtFrom(file: string, build: string): readonly string[] | undefined {
  if (statSync(build, { throwIfNoEntry: false }) === undefined) return undefined;
  const record = JSON.parse(readFileSync(build, "utf8")) as BuildRecord;
  return record.file === file && isUpToDate(record) ? record.inputs.map(({ path }) => path).sort() : undefined;
}

/** A text without anything that looks like a path from its own folder imports nothing of its own tree. */
function singleFile(path: string): readonly string[] | undefined {
  return /["'`](?:\.|\/|file:)/.test(readFileSync(path, "utf8")) ? undefined : [path];
}

function fileStamp(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;
}
