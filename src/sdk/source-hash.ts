import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type BuildRecord, buildsFolder, recordName } from "./load/cached-build.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A hash and the files it was made of, each with what shows a change. */
interface Known {
  readonly hash: string;
  readonly files: readonly (readonly [path: string, mark: string])[];
}

/**
 * What an app's code was, for the log: a SHA-256 over the files it is made of, as its build knows them. A file that needs no build
 * stands for itself. It is kept from one process to the next, since loading a hash costs more than writing the log.
 * Contract: undefined when it cannot be told; that is no reason to fail.
 */
export function sourceHash(file: string, env: Env): string | undefined {
  const kept = join(buildsFolder(env), recordName(file).replace(".json", ".source.json"));
  try {
    return stillTrue(kept, file) ?? reckon(file, kept, env);
  } catch {
    return undefined; // gone since it was loaded, or no folder to keep it in
  }
}

function stillTrue(kept: string, file: string): string | undefined {
  if (statSync(kept, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    const { hash, files } = JSON.parse(readFileSync(kept, "utf8")) as Known;
    const holds = files.length > 0 && files.every(([path, mark]) => markOf(path) === mark);
    return holds && files.some(([path]) => path === realpathSync.native(file)) ? hash : undefined;
  } catch {
    return undefined; // torn, because a process was killed: it is made again
  }
}

function reckon(file: string, kept: string, env: Env): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const sum = createHash("sha256");
  const folder = dirname(realpathSync.native(file));
  const files: [string, string][] = [];
  for (const path of pathsOf(file, env)) {
    files.push([path, markOf(path)]);
    const bytes = readFileSync(path);
    sum.update(`${relative(folder, path).split(sep).join("/")}\n${bytes.length}\n`).update(bytes);
  }
  const hash = sum.digest("hex");
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
  writeFileSync(kept, JSON.stringify({ hash, files } satisfies Known), { mode: 0o600 });
  return hash;
}

function pathsOf(file: string, env: Env): readonly string[] {
  const record = join(buildsFolder(env), recordName(file));
  if (statSync(record, { throwIfNoEntry: false }) === undefined) return [realpathSync.native(file)];
  const built = JSON.parse(readFileSync(record, "utf8")) as BuildRecord;
  return built.file === file ? built.inputs.map(({ path }) => path).sort() : [realpathSync.native(file)];
}

function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`;
}
