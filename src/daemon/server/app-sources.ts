import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFile } from "../../files/internal.ts";
import { attempt, fieldOf, parseJson } from "../../protocol/internal.ts";
import { type AppDependencies, appDependencies, endBuilds, fileStamp, hashInputs } from "../../sdk/internal.ts";

/** The files an app is made of, and those that decide which packages it gets, as they were when it was loaded. */
export interface Sources {
  readonly files: readonly SourceFile[];
  /** Of the app's own files. */
  readonly hash: string;
  /** Changes with the packages that the app gets, and with code that it names and does not import. */
  readonly packages: string;
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

/** Contract: never fails. Paths where an import was not found are watched too. An unreadable file counts as empty; loading it reports the error. */
export async function readAppSources(file: string): Promise<Sources> {
  const settledAt = Date.now() - stepMs;
  const { inputs, named, packages, paths, failure } = await dependenciesOf(file);
  const others = [...withDependencies(packages.map(({ path }) => path)), ...named];
  const watched = [...inputs, ...others, ...paths.map(([name]) => name)];
  // The stamps are taken before the content is read: a change in between shows as a change.
  const files = [...new Set(watched)].sort().map((path) => ({
    path,
    stamp: attempt(() => fileStamp(path)) ?? "",
    fresh: (attempt(() => statSync(path).ctimeMs) ?? 0) > settledAt,
  }));
  const read = (path: string) => attempt(() => readRegularFile(path)) ?? Buffer.alloc(0);
  return {
    files,
    hash: hashInputs(file, [...inputs].sort(), read),
    // Sorted, since the order in which a build finds its imports varies.
    packages: JSON.stringify([
      others.map((path) => [path, read(path).toString()]).sort(),
      [...paths].sort(),
      failure === undefined,
    ]),
  };
}

/** True when a file was or may have been touched, whether or not its content differs. Costs one `stat` for each file. */
export function maybeChanged({ files }: Sources): boolean {
  return files.some(({ path, stamp, fresh }) => fresh || (attempt(() => fileStamp(path)) ?? "") !== stamp);
}

/** Adds the manifests of dependencies, except Hookline's: another version of it has its own daemon. */
function withDependencies(manifests: readonly string[]): readonly string[] {
  const found = new Set(manifests);
  for (const path of found) {
    const manifest = attempt(() => parseJson(readRegularFile(path).toString()));
    if (fieldOf(manifest, "name") === "hookline") continue;
    for (const key of ["dependencies", "optionalDependencies", "peerDependencies"]) {
      for (const name of Object.keys(fieldOf(manifest, key) ?? {})) {
        const next = manifestOf(name, dirname(realpathSync(path)));
        if (next !== undefined) found.add(next);
      }
    }
  }
  return [...found];
}

function manifestOf(name: string, folder: string): string | undefined {
  const path = join(folder, "node_modules", name, "package.json");
  if (existsSync(path)) return path;
  return folder === dirname(folder) ? undefined : manifestOf(name, dirname(folder));
}

/** Only the file itself when its imports cannot be read. */
function dependenciesOf(file: string): Promise<AppDependencies> {
  return appDependencies(file)
    .catch(() => ({ inputs: [file], named: [], packages: [], paths: [] }))
    .finally(endBuilds);
}
