import { realpath, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { BuildRecord } from "./build-cache.ts";

/**
 * The paths that decided what the imports of a build resolved to: symbolic links with their targets, and paths that did not exist and
 * would have been taken first. A link can move, and a nearer file or package can appear, while all files of the build stay the same.
 */
export async function resolvedPaths(imports: readonly ImportedName[]): Promise<BuildRecord["paths"]> {
  const paths = new Map<string, string | null>();
  for (const { specifier, folder } of imports) {
    for (const name of candidates(specifier, folder)) {
      const real = await realpath(name).catch(() => null); // does not exist under this name
      if (real !== name) paths.set(name, real);
      // A folder is chosen only when no file has its name and an ending. A package is always a folder.
      if (real !== null && (isPackage(specifier) || !(await stat(real)).isDirectory())) break;
    }
  }
  return [...paths];
}

/** What a file imports, and the folder of that file. */
export interface ImportedName {
  readonly specifier: string;
  readonly folder: string;
}

/** The paths at which an import is looked for, in order. */
function* candidates(specifier: string, folder: string): Generator<string> {
  if (/^[./]/.test(specifier)) {
    const path = resolve(folder, specifier);
    yield path;
    // esbuild also takes a TypeScript file for the name of the JavaScript file that it would become.
    if (/\.[mc]?jsx?$/.test(path)) for (const ending of ["ts", "tsx"]) yield path.replace(/jsx?$/, ending);
    if (!/\.(?:[mc]?[jt]sx?|json)$/.test(path))
      for (const stem of [path, join(path, "index")]) for (const ending of endings) yield `${stem}${ending}`;
  } else if (isPackage(specifier)) {
    const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
    for (let at = folder; ; at = dirname(at)) {
      yield join(at, "node_modules", name);
      if (at === dirname(at)) return;
    }
  }
}

/** Tried by esbuild in this order. */
const endings = [".tsx", ".ts", ".jsx", ".js", ".css", ".json"];

/** This package is the one that runs, wherever the import is. */
function isPackage(specifier: string): boolean {
  return /^[^./#]/.test(specifier) && !isBuiltin(specifier) && !/^hookline(?:\/|$)/.test(specifier);
}
