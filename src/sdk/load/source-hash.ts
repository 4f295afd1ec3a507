import { readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { makeFolder } from "../log/make-folder.ts";
import { type BuildRecord, buildsFolder, holds, recordName } from "./build-cache.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A hash and the files it was made of, each with what shows a change. */
interface Known {
  readonly hash: string;
  readonly files: readonly (readonly [path: string, mark: string])[];
  /** Of the build's record: with a new one the app may be made of other files. */
  readonly build: string;
}

/**
 * What an app's code was, for the log: a SHA-256 over the files it is made of, the same that the daemon and `install` reckon. The list
 * of files is the build's; a file that names no other stands for itself. The hash is kept from one process to the next, since loading a
 * hash costs more than writing the log.
 * Contract: undefined when it cannot be told without building; that is no reason to fail.
 */
export function sourceHash(file: string, env: Env): string | undefined {
  try {
    const build = join(buildsFolder(env), recordName(file));
    const kept = build.replace(/\.json$/, ".source.json");
    return stillTrue(kept, file, build) ?? reckon(file, kept, build);
  } catch {
    return undefined; // gone since it was loaded, or no folder to keep it in
  }
}

function stillTrue(kept: string, file: string, build: string): string | undefined {
  if (statSync(kept, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    const known = JSON.parse(readFileSync(kept, "utf8")) as Known;
    const holds = known.build === markOf(build) && known.files.every(([path, mark]) => markOf(path) === mark);
    return holds && known.files.some(([path]) => path === realpathSync.native(file)) ? known.hash : undefined;
  } catch {
    return undefined; // torn, because a process was killed: it is made again
  }
}

function reckon(file: string, kept: string, build: string): string | undefined {
  const paths = builtFrom(file, build) ?? aloneIn(realpathSync.native(file));
  if (paths === undefined) return undefined;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const sum = createHash("sha256");
  const folder = dirname(realpathSync.native(file));
  const files: [string, string][] = [];
  for (const path of paths) {
    files.push([path, markOf(path)]);
    const bytes = readFileSync(path);
    sum.update(`${relative(folder, path).split(sep).join("/")}\n${bytes.length}\n`).update(bytes);
  }
  const known: Known = { hash: sum.digest("hex"), files, build: markOf(build) };
  makeFolder(dirname(kept));
  writeFileSync(kept, JSON.stringify(known), { mode: 0o600 });
  return known.hash;
}

/** The files of a build that is still true to them: changed code may import others. */
function builtFrom(file: string, build: string): readonly string[] | undefined {
  if (statSync(build, { throwIfNoEntry: false }) === undefined) return undefined;
  const record = JSON.parse(readFileSync(build, "utf8")) as BuildRecord;
  return record.file === file && holds(record) ? record.inputs.map(({ path }) => path).sort() : undefined;
}

/** A text without anything that looks like a path from its own folder imports nothing of its own tree. */
function aloneIn(path: string): readonly string[] | undefined {
  return /["'`](?:\.|\/|file:)/.test(readFileSync(path, "utf8")) ? undefined : [path];
}

function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;
}
