import { lstatSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import {
  errorCode,
  isStateFolderSafe,
  makeFolderSync,
  packageVersion,
  readRegularFile,
  statePath,
  unsafeReason,
} from "../../files/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import type { Env } from "../app/run-environment.ts";

/** The inputs of a build. The next start compares them with the files to tell whether the build is up to date. */
export interface BuildRecord {
  readonly made: string;
  readonly file: string;
  /** Whole texts, not digests: comparing texts is faster than loading a hash function. */
  readonly inputs: readonly { readonly path: string; readonly text: string }[];
  /** Files of packages that the build depends on and that are not part of the app: it refers to a package by the path of its file. */
  readonly packages: BuildRecord["inputs"];
  /** The real paths of the hooks file and of what `resolvedPaths` lists. Null: does not exist. */
  readonly paths: readonly (readonly [name: string, real: string | null])[];
  /** The file name of the built module. Null: import the author's file unchanged. */
  readonly output: string | null;
  /** The file name of the same code as a script, which starts faster. Null when it imports more than a script can. */
  readonly script: string | null;
}

/** What an app consists of, and what decides which packages it gets. Without esbuild nothing is known of packages. */
export interface AppDependencies extends Pick<BuildRecord, "packages" | "paths"> {
  /** The hooks file and every file it imports, except packages. */
  readonly inputs: readonly string[];
  /** Files of code that these name without importing them, as for `createRequire`, and what those import. */
  readonly named: readonly string[];
  /** Why the app does not build. Then the rest is what was found nevertheless. */
  readonly failure?: unknown;
}

/** The paths of a build's output. */
export interface CachedBuild {
  readonly module: string | undefined;
  readonly script: string | undefined;
}

export function buildsFolder(env: Env): string {
  return join(statePath({ env }), "builds");
}

/** Part of every record and file name: builds of another version of this package or of Node are not used. */
export const builderTag: string = `${packageVersion()} builds 7 node ${process.versions.node.split(".", 1)[0]}`;

/**
 * The build of a file, if it exists and is up to date.
 * Contract: never uses a build from a folder that other users can write to, or from the checkout. Throws at once when a pipe or a device has
 * taken the place of a file.
 */
export function cachedBuild(file: string, env: Env): CachedBuild | undefined {
  try {
    const folder = buildsFolder(env);
    if (!isStateFolderSafe("builds", { env })) return undefined;
    const path = join(folder, recordName(file));
    if (unsafeReason(lstatSync(path)) !== undefined) return undefined;
    const record = JSON.parse(readText(path)) as BuildRecord;
    if (record.made !== builderTag || record.file !== file || !isUpToDate(record)) return undefined;
    return {
      module: record.output === null ? undefined : buildPath(folder, record.output),
      script: record.script === null ? undefined : buildPath(folder, record.script),
    };
  } catch (error) {
    // The build would wait for a pipe too.
    if (errorCode(error) === "file/not-ours") throw error;
    return undefined; // no record, unreadable, or an input is missing: it is built again, and the build reports errors
  }
}

function isUpToDate({ inputs, packages, paths }: BuildRecord): boolean {
  return (
    paths.every(([name, real]) => (attempt(() => realpathSync.native(name)) ?? null) === real) &&
    inputs.every(isUnchanged) &&
    packages.every(isUnchanged)
  );
}

/** A pipe in the place of a file must not make us wait. */
function readText(path: string): string {
  return readRegularFile(path).toString();
}

function isUnchanged({ path, text }: BuildRecord["inputs"][number]): boolean {
  return readText(path) === text;
}

function buildPath(folder: string, name: string): string {
  const path = join(folder, name);
  const stat = lstatSync(path);
  if (!/^[0-9a-f]{64}\.[mc]js$/.test(name) || !stat.isFile() || unsafeReason(stat) !== undefined)
    throw new Error(`${name} is not a build`);
  return path;
}

/**
 * The file name of a build's record: a 64-bit hash of the hooks file's path, computed without loading `node:crypto`. Two paths with the
 * same name replace each other's record, which costs time and nothing else.
 */
export function recordName(file: string): string {
  const key = `${builderTag}\n${file}`;
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 13);
  }
  const hex = (value: number) => (value >>> 0).toString(16).padStart(8, "0");
  return `${hex(high)}${hex(low)}.json`;
}

/** A hash, with the stamps of the files it was computed from. */
interface CachedHash {
  readonly hash: string;
  readonly files: readonly (readonly [path: string, stamp: string])[];
  /** The stamp of the build's record: after another build the app may consist of other files. */
  readonly build: string;
}

/**
 * The SHA-256 over the files of an app, for the log. The daemon and `install` compute the same hash. The list of files comes from the
 * build; a file without relative imports needs no build. The hash is cached in a file, because loading `node:crypto` costs more than
 * writing the log.
 * Contract: never throws. Undefined when the files are unknown because there is no build.
 */
export function sourceHash(file: string, env: Env): string | undefined {
  // It fails when the file was removed since it was loaded, or when there is no folder to cache the hash in.
  return attempt(() => {
    const build = join(buildsFolder(env), recordName(file));
    const cache = build.replace(/\.json$/, ".source.json");
    return cachedHash(cache, file, build) ?? computeHash(cache, file, build);
  });
}

function cachedHash(cache: string, file: string, build: string): string | undefined {
  if (statSync(cache, { throwIfNoEntry: false }) === undefined) return undefined;
  // It fails when the cache is incomplete, because its writer was killed: the hash is computed again.
  return attempt(() => {
    const cached = JSON.parse(readText(cache)) as CachedHash;
    const isCurrent =
      cached.build === fileStamp(build) && cached.files.every(([path, stamp]) => fileStamp(path) === stamp);
    return isCurrent && cached.files.some(([path]) => path === realpathSync.native(file)) ? cached.hash : undefined;
  });
}

function computeHash(cache: string, file: string, build: string): string | undefined {
  const paths = builtFrom(file, build) ?? singleFile(realpathSync.native(file));
  if (paths === undefined) return undefined;
  const files = paths.map((path): [string, string] => [path, fileStamp(path)]);
  const computed: CachedHash = { hash: hashInputs(realpathSync.native(file), paths), files, build: fileStamp(build) };
  makeFolderSync(dirname(cache));
  writeFileSync(cache, JSON.stringify(computed), { mode: 0o600 });
  return computed.hash;
}

/** The hash of a hooks file and its imports, with paths relative to its folder. Install records, the daemon and the log compare it. */
export function hashInputs(
  file: string,
  paths: readonly string[],
  read: (path: string) => Buffer = readRegularFile,
): string {
  // Not imported: every hook process loads this module, and few need a hash.
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const path of paths) {
    const bytes = read(path);
    hash.update(`${relative(dirname(file), path).split(sep).join("/")}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

/** The files of a build, if it is up to date: changed code may import other files. */
function builtFrom(file: string, build: string): readonly string[] | undefined {
  if (statSync(build, { throwIfNoEntry: false }) === undefined) return undefined;
  const record = JSON.parse(readText(build)) as BuildRecord;
  return record.file === file && isUpToDate(record) ? record.inputs.map(({ path }) => path).sort() : undefined;
}

/** The file alone, when its text contains nothing that looks like an import by path. */
function singleFile(path: string): readonly string[] | undefined {
  return /["'`](?:\.|\/|file:)/.test(readText(path)) ? undefined : [path];
}

/** Changes when the file changes. Empty when there is no file. */
export function fileStamp(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;
}
